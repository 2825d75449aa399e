import CZlib
package import TapedeckHTTP

/// The content coding of a body (RFC 9110 §8.4). One layer of gzip or deflate is decoded, everything else is not.
///
/// Decoded bodies are bounded, in bytes and in proportion to the encoded ones, so that a small body cannot take all
/// memory.
package enum BodyCoding: Equatable {
  case identity
  case gzip
  case deflate
  /// The name of any other: Brotli, Zstandard, several layers.
  case other(String)

  /// The longest decoded body.
  private static let maximumBytes = 64 << 20
  /// The most decoded bytes for each encoded one, more than any real text has.
  private static let maximumRatio = 200
  private static let minimumBytes = 64 * 1024

  package init(_ fields: HTTPFields) {
    guard fields.contains("content-encoding") else {
      self = .identity
      return
    }
    let names = Self.names(fields)
    switch names {
    case []: self = .identity
    case ["gzip"], ["x-gzip"]: self = .gzip
    case ["deflate"]: self = .deflate
    default: self = .other(names.joined(separator: ", "))
    }
  }

  /// For people.
  package var name: String {
    switch self {
    case .identity: "identity"
    case .gzip: "gzip"
    case .deflate: "deflate"
    case .other(let name): name
    }
  }

  /// The decoded body; `nil` when it cannot be decoded or is too long.
  package func decoded(_ body: ArraySlice<UInt8>) -> [UInt8]? {
    let limit = min(Self.maximumBytes, max(body.count * Self.maximumRatio, Self.minimumBytes))
    switch self {
    case .identity: return Array(body)
    case .gzip: return Self.inflated(body, windowBits: 15 + 16, limit: limit)
    case .deflate:
      // RFC 9110 §8.4.1.2 means zlib's wrapping; some origins send none.
      return Self.inflated(body, windowBits: 15, limit: limit)
        ?? Self.inflated(body, windowBits: -15, limit: limit)
    case .other: return nil
    }
  }

  /// Encodes a text; the same text always gives the same bytes.
  func encoded(_ text: [UInt8]) -> [UInt8]? {
    switch self {
    case .identity: text
    case .gzip: Self.deflated(text, windowBits: 15 + 16)
    case .deflate: Self.deflated(text, windowBits: 15)
    case .other: nil
    }
  }

  // MARK: zlib

  private static let pieceBytes = 64 * 1024

  private static func inflated(_ body: ArraySlice<UInt8>, windowBits: Int32, limit: Int) -> [UInt8]? {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    guard inflateInit2_(&stream, windowBits, ZLIB_VERSION, size) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    var input = Array(body)
    return input.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(clamping: input.count)
      var out: [UInt8] = []
      while out.count <= limit {
        let code = step(&stream, into: &out) { CZlib.inflate(&$0, Z_NO_FLUSH) }
        if code == Z_STREAM_END {
          if stream.avail_in == 0 { return out.count <= limit ? out : nil }
          // One gzip member may follow another (RFC 1952 §2.2).
          guard windowBits > 15, inflateReset(&stream) == Z_OK else { return nil }
        } else if code != Z_OK {
          return nil
        }
      }
      return nil
    }
  }

  private static func deflated(_ text: [UInt8], windowBits: Int32) -> [UInt8]? {
    var stream = z_stream()
    let size = Int32(MemoryLayout<z_stream>.size)
    guard
      deflateInit2_(
        &stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
        == Z_OK
    else { return nil }
    defer { deflateEnd(&stream) }
    var input = text
    return input.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(clamping: input.count)
      var out: [UInt8] = []
      while true {
        let code = step(&stream, into: &out) { CZlib.deflate(&$0, Z_FINISH) }
        if code == Z_STREAM_END { return out }
        guard code == Z_OK else { return nil }
      }
    }
  }

  /// Lets zlib fill one more piece.
  private static func step(
    _ stream: inout z_stream, into out: inout [UInt8], _ run: (inout z_stream) -> Int32
  ) -> Int32 {
    var code = Z_OK
    let piece = [UInt8](unsafeUninitializedCapacity: pieceBytes) { buffer, count in
      stream.next_out = buffer.baseAddress
      stream.avail_out = UInt32(buffer.count)
      code = run(&stream)
      count = buffer.count - Int(stream.avail_out)
    }
    out += piece
    // No progress means that nothing more can be read.
    return code == Z_BUF_ERROR ? Z_DATA_ERROR : code
  }
}

// MARK: - What fields say

extension BodyCoding {
  /// The codings in `Content-Encoding`, in lower case, without `identity`.
  package static func names(_ fields: HTTPFields) -> [String] {
    fields.values(of: "content-encoding").flatMap { $0.split(separator: UInt8(ascii: ",")) }
      .map { String(decoding: $0.filter { !ASCII.isBlank($0) }.map(ASCII.lowercased), as: UTF8.self) }
      .filter { $0 != "identity" && !$0.isEmpty }
  }

  /// Whether `body` is still encoded: it begins as its last coding begins (RFC 1952 §2.3.1, RFC 1950 §2.2, RFC 8878
  /// §3.1.1). Most tools decode bodies and leave the field. Brotli has no mark, and counts as decoded.
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
