extension UnsafeRawBufferPointer {
  /// Whether these bytes hold `part` at `start`; eight are looked at together while they last.
  package func holds(_ part: UnsafeRawBufferPointer, at start: Int = 0) -> Bool {
    guard part.count <= count - start else { return false }
    var index = 0
    while index + 8 <= part.count {
      let ours = loadUnaligned(fromByteOffset: start + index, as: UInt64.self)
      guard part.loadUnaligned(fromByteOffset: index, as: UInt64.self) == ours else { return false }
      index += 8
    }
    while index < part.count, part[index] == self[start + index] { index += 1 }
    return index == part.count
  }
}
