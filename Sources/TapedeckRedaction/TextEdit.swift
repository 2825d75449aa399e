/// A stretch of bytes, and what takes its place.
struct TextEdit {
  var range: Range<Int>
  var bytes: [UInt8]
}

/// Edits of one text. They may come in any order; of those that overlap, the one that begins first is made.
package struct TextEdits {
  private(set) var list: [TextEdit] = []
  private var isSorted = true

  package init() {}

  init(_ range: Range<Int>, _ bytes: [UInt8]) { list = [TextEdit(range: range, bytes: bytes)] }

  package var isEmpty: Bool { list.isEmpty }
  package var count: Int { list.count }

  package mutating func add(_ range: Range<Int>, _ bytes: [UInt8]) {
    if let last = list.last, last.range.upperBound > range.lowerBound { isSorted = false }
    list.append(TextEdit(range: range, bytes: bytes))
  }

  package mutating func add(_ edits: TextEdits) {
    for edit in edits.list { add(edit.range, edit.bytes) }
  }

  mutating func remove(within range: Range<Int>) {
    list.removeAll { range.contains($0.range.lowerBound) }
  }

  /// In order, without overlaps.
  var ordered: [TextEdit] {
    if isSorted { return list }
    var result: [TextEdit] = []
    let sorted = list.sorted {
      ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound)
    }
    for edit in sorted where edit.range.lowerBound >= result.last?.range.upperBound ?? .min {
      result.append(edit)
    }
    return result
  }

  package func applied(to text: ArraySlice<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(text.count + list.count * 16)
    var index = text.startIndex
    for edit in ordered {
      out += text[index..<edit.range.lowerBound]
      out += edit.bytes
      index = edit.range.upperBound
    }
    return out + text[index...]
  }

  /// Where the ends of chunks come to lie. An end inside a stretch that is replaced goes to the end of what replaces it.
  package func mappedSizes(_ sizes: [Int]) -> [Int] {
    let edits = ordered
    var next = 0
    var shift = 0
    var end = 0
    return sizes.map { size in
      end += size
      while next < edits.count, edits[next].range.upperBound <= end {
        shift += edits[next].bytes.count - edits[next].range.count
        next += 1
      }
      guard next < edits.count, edits[next].range.lowerBound < end else { return end + shift }
      return edits[next].range.lowerBound + shift + edits[next].bytes.count
    }.reduce(into: (sizes: [Int](), last: 0)) { result, end in
      result.sizes.append(end - result.last)
      result.last = end
    }.sizes
  }
}
