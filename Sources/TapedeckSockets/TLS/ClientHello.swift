/// The parts of a ClientHello that we read before OpenSSL does.
package enum ClientHello {
  /// The first byte of a TLS connection: a handshake record (RFC 8446 §5.1). No HTTP request begins with it.
  package static let firstByte: UInt8 = 0x16

  package enum NameIndication: Equatable {
    case absent
    case name([UInt8])
    case malformed
  }

  /// Reads the content of a `server_name` extension (RFC 6066 §3): a list, in which only the type `host_name` exists.
  package static func nameIndication(_ content: UnsafeRawBufferPointer) -> NameIndication {
    // The lengths of the list and, behind the type, of the name.
    guard content.count >= 5, length(content, at: 0) == content.count - 2, content[2] == 0,
      length(content, at: 3) == content.count - 5
    else { return .malformed }
    return .name(Array(content[5...]))
  }

  /// Whether a list of protocols names `http/1.1` (RFC 7301 §3.1); returns where its name begins.
  package static func offset(ofHTTP1In list: UnsafeRawBufferPointer) -> Int? {
    var start = 0
    while start < list.count {
      let end = start + 1 + Int(list[start])
      guard end <= list.count else { return nil }
      if list[(start + 1)..<end].elementsEqual("http/1.1".utf8) { return start + 1 }
      start = end
    }
    return nil
  }

  private static func length(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
    Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
  }
}
