struct Find {
  var range: Range<Int>
  var replacement: [UInt8]
  var report: SecretFind?
}

/// The finds of one text, in any order. When finds overlap, the first to begin counts.
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

  /// Prefixes the places of all finds with `place`. Finds without a name take `name`.
  func placed(at place: @autoclosure () -> String, named name: ArraySlice<UInt8> = []) -> Finds {
    guard list.contains(where: { $0.report != nil }) else { return self }
    let place = place()
    var result = self
    for index in list.indices { result.list[index].report?.put(at: place, named: name) }
    return result
  }

  func reports(at place: String = "") -> [SecretFind] { placed(at: place).ordered.compactMap(\.report) }

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

  /// The finds in order, without those that an earlier one covers.
  var withoutOverlaps: Finds {
    if isSorted { return self }
    var result = Finds()
    for find in ordered { result.add(find) }
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

  /// The chunk sizes after the finds are applied. A chunk that ends in a find grows to its end.
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
