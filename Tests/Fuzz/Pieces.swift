import TestSupport

/// The ways in which one input may arrive. Chosen by the bytes themselves, so that an input fails the same way again.
enum Pieces {
  /// Whole, byte by byte, cut in two, and cut into a few uneven pieces.
  static func ways(of input: [UInt8]) -> [[ArraySlice<UInt8>]] {
    guard !input.isEmpty else { return [[]] }
    var random = SeededGenerator(seed(of: input))
    let boundary = random.below(input.count)
    var uneven: [ArraySlice<UInt8>] = []
    var rest = input[...]
    while !rest.isEmpty {
      uneven.append(rest.prefix(1 + random.below(24)))
      rest = rest.dropFirst(uneven[uneven.count - 1].count)
    }
    return [
      [input[...]], input.indices.map { input[$0...$0] }, [input[..<boundary], input[boundary...]], uneven,
    ]
  }

  /// FNV-1a.
  static func seed(of input: [UInt8]) -> UInt64 {
    input.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  /// Lends a piece as an allocation of exactly its size, so that AddressSanitizer sees a read beside it.
  static func lend<Result>(
    _ piece: ArraySlice<UInt8>, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: piece.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyBytes(from: piece)
    return body(UnsafeRawBufferPointer(copy))
  }
}
