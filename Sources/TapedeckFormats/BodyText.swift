package import TapedeckHTTP
package import TapedeckRecording

extension JSONValue {
  /// The text of a string as UTF-8, with U+FFFD for lone surrogates, which browsers write where they cut a text; `nil`
  /// for any other value.
  package var utf8Text: [UInt8]? {
    guard case .string(let string) = self else { return nil }
    return string.utf8 ?? Array(string.text.utf8)
  }

  /// A body as a string; `nil` if it is not text.
  init?(ifText body: [UInt8]) {
    guard body.allSatisfy(ASCII.isText), let text = JSONString(utf8: body[...]) else { return nil }
    self = .string(text)
  }

  /// A string with these bytes, undecodable ones replaced.
  init(decoding bytes: some Collection<UInt8>) { self.init(String(decoding: bytes, as: UTF8.self)) }

  /// An object with those members that have a value.
  package static func object(of members: KeyValuePairs<JSONString, JSONValue?>) -> JSONValue {
    .object(members.compactMap { name, value in value.map { JSONMember(name, $0) } })
  }
}

extension Interaction {
  package var requestBody: RecordedBody { largeRequestBody.map { .file($0) } ?? .bytes(request.body) }
}

extension RecordedBody {
  /// All bytes, read from the body's file if it has one.
  func allBytes() throws(CassetteError) -> [UInt8] {
    switch self {
    case .bytes(let bytes): return bytes
    case .file(let file):
      let bytes = try file.open().bytes(at: 0, count: file.size)
      guard bytes.count == file.size else {
        throw .invalidBody(
          file: file.directory.path, body: file.name, problem: "became shorter while it was read")
      }
      return bytes
    }
  }
}

extension Base64 {
  /// The bytes of base64 as other tools write it: with line breaks, without padding, or of the alphabet for URLs
  /// (RFC 4648 §5).
  package static func decodeTolerant(_ text: [UInt8]) -> [UInt8]? {
    if let bytes = decode(text) { return bytes }
    var plain = text.filter { $0 > 0x20 }.map { byte in
      switch byte {
      case UInt8(ascii: "-"): UInt8(ascii: "+")
      case UInt8(ascii: "_"): UInt8(ascii: "/")
      default: byte
      }
    }
    while plain.last == UInt8(ascii: "=") { plain.removeLast() }
    while plain.count % 4 != 0 { plain.append(UInt8(ascii: "=")) }
    return decode(plain)
  }
}

extension Sequence {
  /// The elements by key, in the order in which the keys first appear.
  package func groupedInOrder<Key: Hashable>(
    by key: (Element) -> Key
  ) -> [(key: Key, elements: [Element])] {
    var groups: [(key: Key, elements: [Element])] = []
    var places: [Key: Int] = [:]
    for element in self {
      let key = key(element)
      if let place = places[key] {
        groups[place].elements.append(element)
      } else {
        places[key] = groups.count
        groups.append((key, [element]))
      }
    }
    return groups
  }
}

extension [String] {
  package var firstThree: String {
    prefix(3).joined(separator: ", ") + (count > 3 ? " and \(count - 3) more" : "")
  }
}
