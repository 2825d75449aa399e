import TapedeckHTTP

/// A glob: `*` matches any bytes, `?` one byte; ignores ASCII case. Takes at most pattern × text steps.
struct Glob: Sendable, Equatable {
  private let pattern: [UInt8]

  init(_ text: String) { pattern = text.utf8.map(ASCII.lowercased) }

  /// Whether it matches one name only.
  var isPlain: Bool { !pattern.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") } }

  func matches(_ text: ArraySlice<UInt8>) -> Bool {
    var place = 0
    var index = text.startIndex
    var star: (place: Int, index: Int)?
    while index < text.endIndex {
      if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
        star = (place, index)
        place += 1
      } else if place < pattern.count,
        pattern[place] == UInt8(ascii: "?") || pattern[place] == ASCII.lowercased(text[index])
      {
        place += 1
        index += 1
      } else if let last = star {
        place = last.place + 1
        index = last.index + 1
        star = (last.place, index)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}
