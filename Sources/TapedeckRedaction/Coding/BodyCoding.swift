import CZlib
package import TapedeckHTTP

/// The content coding of a body (RFC 9110 §8.4). A body is decoded up to a bounded size and ratio, whatever
/// the number of its layers, so that a small body cannot exhaust memory.
package enum BodyCoding: Equatable {
  case identity
  case gzip
  case deflate
  case brotli
  case zstandard
  /// Several codings, in the order in which they were applied.
  case layers([BodyCoding])
  /// The name of any other coding.
  case other(String)

  private static let maximumLayers = 4

  /// The most bytes that a body may have, encoded or decoded.
  package static let maximumBytes = 64 << 20
  private static let minimumBytes = 1 << 20

  package init(_ fields: HTTPFields) {
    guard fields.contains("content-encoding") else {
      self = .identity
      return
    }
    let names = Self.names(fields).filter { !Self.changingNothing.contains($0) }
    let layers = names.compactMap(Self.layer)
    if layers.count < names.count || layers.count > Self.maximumLayers {
      self = .other(names.joined(separator: ", "))
    } else {
      self = layers.count > 1 ? .layers(layers) : layers.first ?? .identity
    }
  }

  /// Names that some senders write though the body stands there as it is. S3's `aws-chunked` frames it.
  private static let changingNothing: Set = [
    "none", "binary", "utf-8", "utf8", "7bit", "8bit", "aws-chunked",
  ]

  private static func layer(_ name: String) -> BodyCoding? {
    switch name {
    case "gzip", "x-gzip": .gzip
    case "deflate": .deflate
    case "br": .brotli
    case "zstd": .zstandard
    default: nil
    }
  }

  package var name: String {
    switch self {
    case .identity: "identity"
    case .gzip: "gzip"
    case .deflate: "deflate"
    case .brotli: "br"
    case .zstandard: "zstd"
    case .layers(let layers): layers.map(\.name).joined(separator: ", ")
    case .other(let name): name
    }
  }

  /// The name for messages. One that is longer than the registered ones may be anything, even a secret.
  package var label: String {
    let name = name
    let isPlain = name.utf8.allSatisfy { ASCII.isWord($0) || $0 == UInt8(ascii: ",") || $0 == 0x20 }
    let isShort = name.split(separator: ",").allSatisfy { $0.utf8.count <= Self.maximumLabelBytes }
    return isPlain && isShort && name.utf8.count <= 4 * Self.maximumLabelBytes ? name : "of an unknown name"
  }

  private static let maximumLabelBytes = 16

  /// The highest ratio of decoded to encoded bytes, above that of real text: repetitive JSON is encoded better
  /// by Brotli and Zstandard than by deflate, which reaches 1,032 at best.
  private var maximumRatio: Int {
    switch self {
    case .brotli, .zstandard: 2000
    case .layers(let layers): layers.map(\.maximumRatio).max() ?? 1
    case .identity, .gzip, .deflate, .other: 200
    }
  }

  /// The decoded body; `nil` when it cannot be decoded or is too long.
  package func decoded(_ body: ArraySlice<UInt8>) -> [UInt8]? {
    let limit = min(Self.maximumBytes, max(body.count * maximumRatio, Self.minimumBytes))
    return decoded(body, limit: limit)
  }

  private func decoded(_ body: ArraySlice<UInt8>, limit: Int) -> [UInt8]? {
    switch self {
    case .identity: return Array(body)
    case .gzip: return Self.inflated(body, windowBits: 15 + 16, limit: limit)
    case .deflate:
      // RFC 9110 §8.4.1.2 requires zlib's wrapping; some origins omit it.
      return Self.inflated(body, windowBits: 15, limit: limit)
        ?? Self.inflated(body, windowBits: -15, limit: limit)
    case .brotli: return Brotli.decoded(body, limit: limit)
    case .zstandard: return Zstandard.decoded(body, limit: limit)
    case .layers(let layers):
      return layers.reversed().reduce(Array(body)) { body, layer in
        body.flatMap { layer.decoded($0[...], limit: limit) }
      }
    case .other: return nil
    }
  }

  /// Whether a body that cannot be decoded is text as it stands: in a coding of the sender's own, or under a
  /// field that was left when the body was decoded.
  package func isMisnamed(_ body: ArraySlice<UInt8>) -> Bool {
    body.withUnsafeBufferPointer { $0.allSatisfy(ASCII.isText) }
      && String(validating: body, as: UTF8.self) != nil
  }

  /// The number of bytes that decide about a body too large to hold.
  package static let beginningBytes = 1 << 20

  /// `isMisnamed` for a body of which only the beginning is known.
  package func isMisnamed(beginningWith body: ArraySlice<UInt8>) -> Bool {
    let start = body.prefix(Self.beginningBytes)
    // A character may be cut at the end.
    return self != .identity
      && (0...min(3, start.count)).contains { isMisnamed(start.dropLast($0)) } && !start.isEmpty
  }

  /// Encodes a text; the same text always gives the same bytes.
  func encoded(_ text: [UInt8]) -> [UInt8]? {
    switch self {
    case .identity: text
    case .gzip: Self.deflated(text, windowBits: 15 + 16)
    case .deflate: Self.deflated(text, windowBits: 15)
    case .brotli: Brotli.encoded(text)
    case .zstandard: Zstandard.encoded(text)
    case .layers(let layers): layers.reduce(text) { text, layer in text.flatMap(layer.encoded) }
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
    return run(&stream, Array(body), limit: limit) {
      CZlib.inflate(&$0, Z_NO_FLUSH)
    } next: {
      // Another gzip member may follow (RFC 1952 §2.2).
      windowBits > 15 && inflateReset(&$0) == Z_OK
    }
  }

  private static func deflated(_ text: [UInt8], windowBits: Int32) -> [UInt8]? {
    var stream = z_stream()
    let (size, level) = (Int32(MemoryLayout<z_stream>.size), Z_DEFAULT_COMPRESSION)
    let code = deflateInit2_(
      &stream, level, Z_DEFLATED, windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, size)
    guard code == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    return run(&stream, text, limit: .max) {
      CZlib.deflate(&$0, Z_FINISH)
    } next: { _ in
      false
    }
  }

  /// Calls `step` to fill pieces of output until the input ends.
  /// - Parameter next: whether another stream begins in the remaining input.
  private static func run(
    _ stream: inout z_stream, _ input: [UInt8], limit: Int, step: (inout z_stream) -> Int32,
    next: (inout z_stream) -> Bool
  ) -> [UInt8]? {
    var input = input
    return input.withUnsafeMutableBufferPointer { input in
      stream.next_in = input.baseAddress
      stream.avail_in = UInt32(clamping: input.count)
      var out: [UInt8] = []
      while out.count <= limit {
        var code = Z_OK
        out += [UInt8](unsafeUninitializedCapacity: pieceBytes) { buffer, count in
          stream.next_out = buffer.baseAddress
          stream.avail_out = UInt32(buffer.count)
          code = step(&stream)
          count = buffer.count - Int(stream.avail_out)
        }
        // No progress (`Z_BUF_ERROR`) means that nothing more can be read.
        guard code == Z_OK || code == Z_STREAM_END else { return nil }
        if code == Z_STREAM_END, stream.avail_in == 0 { return out.count <= limit ? out : nil }
        if code == Z_STREAM_END, !next(&stream) { return nil }
      }
      return nil
    }
  }
}

// MARK: - What fields say

extension BodyCoding {
  /// The codings in `Content-Encoding`, in lower case, without `identity`.
  package static func names(_ fields: HTTPFields) -> [String] {
    fields.members(of: "content-encoding")
      .map { String(decoding: $0.filter { !ASCII.isBlank($0) }.map(ASCII.lowercased), as: UTF8.self) }
      .filter { $0 != "identity" && !$0.isEmpty }
  }

  /// Whether `body` still begins like its last coding (RFC 1952 §2.3.1, RFC 1950 §2.2, RFC 8878 §3.1.1). Most
  /// tools decode bodies and leave the field. Brotli has no signature and counts as decoded.
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
