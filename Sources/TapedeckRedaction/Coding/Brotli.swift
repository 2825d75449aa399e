import CBrotli

/// Brotli (RFC 7932).
enum Brotli {
  private static let pieceBytes = 64 * 1024
  /// Encodes JSON about as well as gzip at its default, and as fast.
  private static let quality: Int32 = 5

  /// The decoded body; `nil` if it is damaged, cut off, followed by something, or longer than `limit`.
  static func decoded(_ body: ArraySlice<UInt8>, limit: Int) -> [UInt8]? {
    guard let decoder = BrotliDecoderCreateInstance(nil, nil, nil) else { return nil }
    defer { BrotliDecoderDestroyInstance(decoder) }
    return body.withUnsafeBufferPointer { input -> [UInt8]? in
      var (next, left) = (input.baseAddress, input.count)
      var out: [UInt8] = []
      while out.count <= limit {
        var result = BROTLI_DECODER_RESULT_ERROR
        out += [UInt8](unsafeUninitializedCapacity: pieceBytes) { buffer, count in
          var (end, room) = (buffer.baseAddress, buffer.count)
          result = BrotliDecoderDecompressStream(decoder, &left, &next, &room, &end, nil)
          count = buffer.count - room
        }
        if result == BROTLI_DECODER_RESULT_SUCCESS { return left == 0 && out.count <= limit ? out : nil }
        guard result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT else { return nil }
      }
      return nil
    }
  }

  static func encoded(_ text: [UInt8]) -> [UInt8]? {
    let most = BrotliEncoderMaxCompressedSize(text.count)
    guard most > 0 else { return nil }
    var isEncoded = false
    let out = [UInt8](unsafeUninitializedCapacity: most) { buffer, count in
      var size = buffer.count
      guard let start = buffer.baseAddress else { return }
      isEncoded = text.withUnsafeBufferPointer { text in
        BrotliEncoderCompress(
          quality, BROTLI_DEFAULT_WINDOW, BROTLI_MODE_GENERIC, text.count,
          text.baseAddress ?? UnsafePointer(start), &size,
          start) != 0
      }
      count = isEncoded ? size : 0
    }
    return isEncoded ? out : nil
  }
}
