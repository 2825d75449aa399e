package import TapedeckHTTP
package import TapedeckRecording

extension JSONValue {
  /// The text of a string as UTF-8, with U+FFFD for lone surrogates, which browsers write where they cut a text; nil for
  /// what is no string.
  package var utf8Text: [UInt8]? {
    guard case .string(let string) = self else { return nil }
    return string.utf8 ?? Array(string.text.utf8)
  }

  /// A body as a string; nil when it is no text.
  init?(ifText body: [UInt8]) {
    guard body.allSatisfy(ASCII.isText), let text = JSONString(utf8: body[...]) else { return nil }
    self = .string(text)
  }
}

extension Interaction {
  /// The request's body, wherever it is.
  package var requestBody: RecordedBody { largeRequestBody.map { .file($0) } ?? .bytes(request.body) }
}

extension RecordedBody {
  /// All of a body, wherever it is.
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
    var plain: [UInt8] = []
    plain.reserveCapacity(text.count + 3)
    for byte in text where byte > 0x20 {
      switch byte {
      case UInt8(ascii: "-"): plain.append(UInt8(ascii: "+"))
      case UInt8(ascii: "_"): plain.append(UInt8(ascii: "/"))
      default: plain.append(byte)
      }
    }
    while plain.last == UInt8(ascii: "=") { plain.removeLast() }
    while plain.count % 4 != 0 { plain.append(UInt8(ascii: "=")) }
    return decode(plain)
  }
}
