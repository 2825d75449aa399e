extension [UInt8] {
  /// Whether these are the same bytes, as `==` says, which compares one by one.
  package func hasSameBytes(as other: [UInt8]) -> Bool {
    count == other.count && withUnsafeBytes { left in other.withUnsafeBytes { left.holds($0) } }
  }
}

extension UnsafeRawBufferPointer {
  /// A hash of all bytes, for tables in this process: whoever does not know the seed cannot choose collisions.
  package func hash(seed: UInt64) -> UInt64 {
    var hash = seed ^ UInt64(count)
    var index = 0
    while index + 16 <= count {
      hash = Self.product(
        loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ hash,
        loadUnaligned(fromByteOffset: index + 8, as: UInt64.self) ^ 0x9E37_79B9_7F4A_7C15)
      index += 16
    }
    if index + 8 <= count {
      hash = Self.product(loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ hash, 0xA076_1D64_78BD_642F)
      index += 8
    }
    var rest: UInt64 = 0
    while index < count {
      rest = rest << 8 | UInt64(self[index])
      index += 1
    }
    return Self.product(hash ^ rest, seed ^ 0xE703_7ED1_A0B4_28DB)
  }

  private static func product(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let (high, low) = left.multipliedFullWidth(by: right)
    return high ^ low
  }

  /// The first index of `byte` from `start` on, comparing sixteen bytes at a time.
  @inlinable @inline(__always)
  package func index(of byte: UInt8, from start: Int) -> Int? {
    var index = start
    let wanted = SIMD16<UInt8>(repeating: byte)
    while index + 16 <= count {
      let block = loadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
      let marks = unsafeBitCast(block .== wanted, to: SIMD2<UInt64>.self)
      if marks[0] | marks[1] != 0 {
        let offset = UInt64(littleEndian: marks[0]).trailingZeroBitCount / 8
        return index + (offset < 8 ? offset : 8 + UInt64(littleEndian: marks[1]).trailingZeroBitCount / 8)
      }
      index += 16
    }
    while index < count {
      if self[index] == byte { return index }
      index += 1
    }
    return nil
  }

  /// The eight bytes from `index` on, the first in the lowest bits, with `filler` for those behind the end.
  @inlinable @inline(__always)
  package func word(at index: Int, filledWith filler: UInt8) -> UInt64 {
    let rest = count - index
    if rest >= 8 { return UInt64(littleEndian: loadUnaligned(fromByteOffset: index, as: UInt64.self)) }
    let fillers = UInt64(filler) &* 0x0101_0101_0101_0101
    guard rest > 0 else { return fillers }
    var word: UInt64
    if count >= 8 {
      word = UInt64(littleEndian: loadUnaligned(fromByteOffset: count - 8, as: UInt64.self))
      word = word &>> UInt64(64 - 8 * rest)
    } else if rest >= 4 {
      word = UInt64(UInt32(littleEndian: loadUnaligned(fromByteOffset: index, as: UInt32.self)))
      let last = UInt32(littleEndian: loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
      word |= UInt64(last) &<< UInt64(8 * rest - 32)
    } else {
      let (middle, last) = (rest / 2, rest - 1)
      word = UInt64(self[index]) | UInt64(self[index + middle]) &<< UInt64(8 * middle)
      word |= UInt64(self[index + last]) &<< UInt64(8 * last)
    }
    return word | fillers &<< UInt64(8 * rest)
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
