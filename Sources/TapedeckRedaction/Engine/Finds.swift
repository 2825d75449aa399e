/// A stretch of a text that holds a secret, and what takes its place.
struct Find {
  var range: Range<Int>
  var replacement: [UInt8]
  /// What there is to report; `nil` where finds are only applied.
  var evidence: Evidence?
}

/// What the scanner reports about a find.
final class Evidence {
  /// `a GitHub token`, `a value under the name of a secret`.
  let looksLike: String
  /// The name the secret stands under; empty where it has none.
  var name: [UInt8]
  let secret: [UInt8]
  /// The base64 that the secret stands in, and the same without the secret.
  var run: (text: [UInt8], redacted: [UInt8])?
  /// Where the text with the secret stands within the searched part: `$.user.token`.
  var place = ""

  init(_ looksLike: String, _ secret: some Sequence<UInt8>, named name: some Sequence<UInt8>) {
    self.looksLike = looksLike
    self.secret = Array(secret)
    self.name = Array(name)
  }
}

/// The finds of one text, in any order. Of finds that overlap, the one that begins first counts.
package struct Finds {
  private(set) var list: [Find] = []
  private var isSorted = true

  package init() {}

  init(_ find: Find?) { if let find { list = [find] } }

  package var isEmpty: Bool { list.isEmpty }
  package var count: Int { list.count }

  mutating func add(_ find: Find?) {
    guard let find else { return }
    if let last = list.last, last.range.upperBound > find.range.lowerBound { isSorted = false }
    list.append(find)
  }

  mutating func add(_ range: Range<Int>, _ replacement: [UInt8]) {
    add(Find(range: range, replacement: replacement))
  }

  package mutating func add(_ finds: Finds) {
    for find in finds.list { add(find) }
  }

  mutating func remove(within range: Range<Int>) {
    list.removeAll { range.contains($0.range.lowerBound) }
  }

  /// Puts the place of the text before the places within it. `name` is for finds that have no name of their own.
  func placed(at place: @autoclosure () -> String, named name: ArraySlice<UInt8> = []) -> Finds {
    let reported = list.compactMap(\.evidence)
    guard !reported.isEmpty else { return self }
    let place = place()
    for evidence in reported {
      evidence.place = place + evidence.place
      if evidence.name.isEmpty { evidence.name = Array(name) }
    }
    return self
  }

  /// In order, without overlaps.
  var ordered: [Find] {
    if isSorted { return list }
    var result: [Find] = []
    let sorted = list.sorted {
      ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound)
    }
    for find in sorted where find.range.lowerBound >= result.last?.range.upperBound ?? .min {
      result.append(find)
    }
    return result
  }

  package func applied(to text: ArraySlice<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(text.count + list.count * 16)
    var index = text.startIndex
    for find in ordered {
      out += text[index..<find.range.lowerBound]
      out += find.replacement
      index = find.range.upperBound
    }
    return out + text[index...]
  }

  /// The sizes of chunks after the finds are applied. A chunk that ends within a find is extended to the end of its
  /// replacement.
  package func mappedSizes(_ sizes: [Int]) -> [Int] {
    let finds = ordered
    var next = 0
    var shift = 0
    var end = 0
    var last = 0
    return sizes.map { size in
      end += size
      while next < finds.count, finds[next].range.upperBound <= end {
        shift += finds[next].replacement.count - finds[next].range.count
        next += 1
      }
      var mapped = end + shift
      if next < finds.count, finds[next].range.lowerBound < end {
        mapped = finds[next].range.lowerBound + shift + finds[next].replacement.count
      }
      defer { last = mapped }
      return mapped - last
    }
  }
}
