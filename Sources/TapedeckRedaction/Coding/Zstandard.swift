import CZstandard

/// Zstandard (RFC 8878).
enum Zstandard {
  private static let pieceBytes = 64 * 1024
  /// The largest window of the content coding (RFC 9659), as a power of two.
  private static let maximumWindowLog: Int32 = 23
  private static let level: Int32 = 3

  /// The decoded body, of one frame or more; `nil` if it is damaged, cut off or longer than `limit`.
  static func decoded(_ body: ArraySlice<UInt8>, limit: Int) -> [UInt8]? {
    guard let decoder = ZSTD_createDCtx() else { return nil }
    defer { ZSTD_freeDCtx(decoder) }
    guard ZSTD_isError(ZSTD_DCtx_setParameter(decoder, ZSTD_d_windowLogMax, maximumWindowLog)) == 0 else {
      return nil
    }
    return body.withUnsafeBytes { bytes -> [UInt8]? in
      var input = ZSTD_inBuffer(src: bytes.baseAddress, size: bytes.count, pos: 0)
      var out: [UInt8] = []
      while out.count <= limit {
        var result = 0
        var isFull = false
        let before = input.pos
        out += [UInt8](unsafeUninitializedCapacity: pieceBytes) { buffer, count in
          var output = ZSTD_outBuffer(dst: buffer.baseAddress, size: buffer.count, pos: 0)
          result = ZSTD_decompressStream(decoder, &output, &input)
          count = output.pos
          isFull = output.pos == output.size
        }
        guard ZSTD_isError(result) == 0 else { return nil }
        if result == 0, input.pos == input.size { return out.count <= limit ? out : nil }
        if !isFull, input.pos == before { return nil }
      }
      return nil
    }
  }

  static func encoded(_ text: [UInt8]) -> [UInt8]? {
    var result = 0
    let out = [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(text.count)) { buffer, count in
      result = text.withUnsafeBytes {
        ZSTD_compress(buffer.baseAddress, buffer.count, $0.baseAddress, $0.count, level)
      }
      count = ZSTD_isError(result) == 0 ? result : 0
    }
    return ZSTD_isError(result) == 0 ? out : nil
  }
}
