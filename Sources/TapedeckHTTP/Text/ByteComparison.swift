extension UnsafeRawBufferPointer {
  /// The first index of `byte` from `start` on, comparing sixteen bytes at a time.
  @inline(__always)
  package func index(of byte: UInt8, from start: Int) -> Int? {
    var index = start
    let wanted = SIMD16<UInt8>(repeating: byte)
    while index + 16 <= count {
      let block = loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
      if any(block .== wanted) { break }
      index += 16
    }
    while index < count {
      if self[index] == byte { return index }
      index += 1
    }
    return nil
  }

  /// Whether `part` is at `start`, comparing up to 32 bytes at a time.
  package func holds(_ part: UnsafeRawBufferPointer, at start: Int = 0) -> Bool {
    guard part.count <= count - start else { return false }
    var index = 0
    while index + 32 <= part.count {
      var difference: UInt64 = 0
      for offset in stride(from: index, to: index + 32, by: 8) {
        difference |=
          part.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          ^ loadUnaligned(fromByteOffset: start + offset, as: UInt64.self)
      }
      guard difference == 0 else { return false }
      index += 32
    }
    while index + 8 <= part.count {
      let ours = loadUnaligned(fromByteOffset: start + index, as: UInt64.self)
      guard part.loadUnaligned(fromByteOffset: index, as: UInt64.self) == ours else { return false }
      index += 8
    }
    while index < part.count, part[index] == self[start + index] { index += 1 }
    return index == part.count
  }
}
