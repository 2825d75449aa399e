/// A line and a column of a document, counted from 1, columns in characters.
package struct JSONPosition: Sendable, Equatable {
  package var line: Int
  package var column: Int

  init(offset: Int, in bytes: UnsafeRawBufferPointer) {
    let before = bytes[..<min(offset, bytes.count)]
    let lineStart = before.lastIndex(of: ASCII.lineFeed).map { $0 + 1 } ?? 0
    line = 1 + before.count { $0 == ASCII.lineFeed }
    column = 1 + before[lineStart...].count { $0 & 0xC0 != 0x80 }
  }

  /// Where a place like `routes[3].when.query` stands in a document, as far as that goes: the innermost part of it that
  /// is there. Names are told apart by what the document holds, so they may have dots and brackets in them.
  package init(of place: String, in document: [UInt8]) {
    self = document.withUnsafeBytes { bytes in
      var finder = JSONPlaceFinder(bytes)
      return JSONPosition(offset: finder.find(Array(place.utf8)[...]), in: bytes)
    }
  }
}

/// Walks down a document that was read before, and so is well formed.
private struct JSONPlaceFinder {
  private let bytes: UnsafeRawBufferPointer
  private var reader: JSONReader

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
    reader = JSONReader(stepping: bytes, maximumDepth: JSONValue.defaultMaximumDepth)
  }

  mutating func find(_ place: ArraySlice<UInt8>) -> Int {
    reader.skipBlanks()
    var place = place
    var found = reader.index
    do throws(JSONError) {
      while !place.isEmpty {
        let next =
          switch reader.next {
          case UInt8(ascii: "{"): try member(&place)
          case UInt8(ascii: "["): try element(&place)
          default: nil as Int?
          }
        guard let next else { break }
        found = next
      }
    } catch {
      return found
    }
    return found
  }

  /// Goes to the value of the member that the place begins with, of several the one with the longest name.
  /// - Returns: where its name stands; nil when there is none.
  private mutating func member(_ place: inout ArraySlice<UInt8>) throws(JSONError) -> Int? {
    let rest = place.first == UInt8(ascii: ".") ? place.dropFirst() : place
    var best: (name: Int, value: Int, length: Int)?
    reader.index += 1
    reader.skipBlanks()
    while reader.next == UInt8(ascii: "\"") {
      let start = reader.index
      try reader.skipString()
      let raw = Array(bytes[(start + 1)..<(reader.index - 1)])
      let name = JSONString(slice: JSONSlice(raw)).decodedBytes
      try reader.skipColon()
      if Self.begins(rest, with: name), name.count >= best?.length ?? 0 {
        best = (start, reader.index, name.count)
      }
      try reader.skipValue()
      reader.skipBlanks()
      guard reader.next == ASCII.comma else { break }
      reader.index += 1
      reader.skipBlanks()
    }
    guard let best else { return nil }
    reader.index = best.value
    place = rest.dropFirst(best.length)
    return best.name
  }

  private static func begins(_ place: ArraySlice<UInt8>, with name: [UInt8]) -> Bool {
    guard place.starts(with: name) else { return false }
    let next = place.dropFirst(name.count).first
    return next == nil || next == UInt8(ascii: ".") || next == UInt8(ascii: "[")
  }

  /// Goes to the element whose number in brackets the place begins with.
  private mutating func element(_ place: inout ArraySlice<UInt8>) throws(JSONError) -> Int? {
    guard place.first == UInt8(ascii: "["), let end = place.firstIndex(of: UInt8(ascii: "]")),
      let number = Int(String(decoding: place[(place.startIndex + 1)..<end], as: UTF8.self))
    else { return nil }
    reader.index += 1
    reader.skipBlanks()
    for _ in 0..<max(0, number) {
      try reader.skipValue()
      reader.skipBlanks()
      guard reader.next == ASCII.comma else { return nil }
      reader.index += 1
      reader.skipBlanks()
    }
    guard reader.next != UInt8(ascii: "]") else { return nil }
    place = place[(end + 1)...]
    return reader.index
  }
}
