package import TapedeckHTTP

/// Chunk sizes as an array of numbers, in which `[size, count]` stands for a run of equal ones.
package enum ChunkSizes {
  /// The shortest run that is written as one.
  private static let minimumRun = 3

  package static func encode(_ sizes: [Int]) -> JSONValue {
    var items: [JSONValue] = []
    var rest = sizes[...]
    while let size = rest.first {
      let run = rest.prefix { $0 == size }.count
      if run >= minimumRun {
        items.append([JSONValue(size), JSONValue(run)])
      } else {
        items.append(contentsOf: repeatElement(JSONValue(size), count: run))
      }
      rest = rest.dropFirst(run)
    }
    return .array(items)
  }

  /// The sizes, cut or completed to the length of the body, which may have been edited since.
  static func decode(
    _ items: [JSONValue], bodyBytes: Int, at place: JSONPlace
  ) throws(JSONProblem) -> [Int] {
    var sizes: [Int] = []
    var rest = bodyBytes
    for (index, item) in items.enumerated() {
      guard var (size, count) = run(item) else {
        throw place.element(index).problem(
          "a chunk size, or a pair [size, count], of at least 1 is expected here")
      }
      while count > 0, rest > 0 {
        guard sizes.count < CassetteLimits.chunks else {
          throw place.element(index).problem("more than \(CassetteLimits.chunks) chunks")
        }
        size = min(size, rest)
        sizes.append(size)
        rest -= size
        count -= 1
      }
    }
    return rest > 0 ? sizes + [rest] : sizes
  }

  private static func run(_ item: JSONValue) -> (size: Int, count: Int)? {
    let size: Int?
    let count: Int?
    if let pair = item.array {
      guard pair.count == 2 else { return nil }
      (size, count) = (pair[0].int, pair[1].int)
    } else {
      (size, count) = (item.int, 1)
    }
    guard let size, let count, size > 0, count > 0 else { return nil }
    return (size, count)
  }
}
