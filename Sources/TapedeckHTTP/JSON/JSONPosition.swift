/// A line and a column of a document, both from 1; columns count characters.
package struct JSONPosition: Sendable, Equatable {
  package var line: Int
  package var column: Int

  init(offset: Int, in bytes: UnsafeRawBufferPointer) {
    let before = bytes[..<min(offset, bytes.count)]
    let lineStart = before.lastIndex(of: ASCII.lineFeed).map { $0 + 1 } ?? 0
    line = 1 + before.count { $0 == ASCII.lineFeed }
    column = 1 + before[lineStart...].count { $0 & 0xC0 != 0x80 }
  }

  /// Finds a place like `routes[3].when.query`, or its innermost ancestor that exists. Names may contain
  /// dots.
  package init(of place: String, in document: [UInt8]) {
    self = document.withUnsafeBytes { bytes in
      var reader = JSONReader(stepping: bytes, maximumDepth: JSONValue.defaultMaximumDepth)
      return JSONPosition(offset: reader.find(Array(place.utf8)[...]), in: bytes)
    }
  }
}

extension JSONReader {
  /// Walks down to a place in a well-formed document.
  fileprivate mutating func find(_ place: ArraySlice<UInt8>) -> Int {
    skipBlanks()
    var place = place
    var found = index
    do throws(JSONError) {
      while !place.isEmpty {
        let step =
          switch next {
          case UInt8(ascii: "{"): try member(&place)
          case UInt8(ascii: "["): try element(&place)
          default: nil as Int?
          }
        guard let step else { break }
        found = step
      }
    } catch {
      return found
    }
    return found
  }

  /// Goes to the member that the place begins with; the longest matching name wins.
  /// - Returns: the offset of its name; `nil` when there is none.
  private mutating func member(_ place: inout ArraySlice<UInt8>) throws(JSONError) -> Int? {
    let rest = place.first == UInt8(ascii: ".") ? place.dropFirst() : place
    var best: (name: Int, value: Int, length: Int)?
    index += 1
    skipBlanks()
    while next == UInt8(ascii: "\"") {
      let start = index
      try skipString()
      let raw = Array(bytes[(start + 1)..<(index - 1)])
      let name = JSONString(slice: JSONSlice(raw)).decodedBytes
      try skipColon()
      if Self.begins(rest, with: name), name.count >= best?.length ?? 0 {
        best = (start, index, name.count)
      }
      try skipValue()
      skipBlanks()
      guard next == ASCII.comma else { break }
      index += 1
      skipBlanks()
    }
    guard let best else { return nil }
    index = best.value
    place = rest.dropFirst(best.length)
    return best.name
  }

  private static func begins(_ place: ArraySlice<UInt8>, with name: [UInt8]) -> Bool {
    guard place.starts(with: name) else { return false }
    let next = place.dropFirst(name.count).first
    return next == nil || next == UInt8(ascii: ".") || next == UInt8(ascii: "[")
  }

  private mutating func element(_ place: inout ArraySlice<UInt8>) throws(JSONError) -> Int? {
    guard place.first == UInt8(ascii: "["), let end = place.firstIndex(of: UInt8(ascii: "]")),
      let number = Int(String(decoding: place[(place.startIndex + 1)..<end], as: UTF8.self))
    else { return nil }
    index += 1
    skipBlanks()
    for _ in 0..<max(0, number) {
      try skipValue()
      skipBlanks()
      guard next == ASCII.comma else { return nil }
      index += 1
      skipBlanks()
    }
    guard next != UInt8(ascii: "]") else { return nil }
    place = place[(end + 1)...]
    return index
  }
}
