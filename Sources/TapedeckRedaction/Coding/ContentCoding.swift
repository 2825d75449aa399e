package import TapedeckHTTP

/// Whether a body is encoded as `Content-Encoding` says. Most tools decode bodies and leave the field.
package enum ContentCoding {
  /// The codings in `Content-Encoding`, in lower case, without `identity`.
  package static func names(_ fields: HTTPFields) -> [String] {
    fields.values(of: "content-encoding").flatMap { $0.split(separator: UInt8(ascii: ",")) }
      .map { String(decoding: $0.filter { !ASCII.isBlank($0) }.map(ASCII.lowercased), as: UTF8.self) }
      .filter { $0 != "identity" && !$0.isEmpty }
  }

  /// Whether `body` begins as its last coding begins (RFC 1952 §2.3.1, RFC 1950 §2.2, RFC 8878 §3.1.1). Brotli has no
  /// mark, and counts as decoded.
  package static func isApplied(_ names: [String], to body: [UInt8]) -> Bool {
    switch names.last {
    case "gzip", "x-gzip": body.starts(with: [0x1F, 0x8B])
    case "zstd": body.starts(with: [0x28, 0xB5, 0x2F, 0xFD])
    case "deflate": isZlib(body)
    default: false
    }
  }

  package static func isZlib(_ body: [UInt8]) -> Bool {
    body.count > 5 && body[0] & 0x0F == 8 && body[0] >> 4 <= 7
      && (Int(body[0]) << 8 | Int(body[1])) % 31 == 0
  }
}
