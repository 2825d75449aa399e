import Testing

@testable import TapedeckHTTP

@Suite struct ByteHashTests {
  private static func hash(_ bytes: [UInt8], _ seed: UInt64) -> UInt64 {
    bytes.withUnsafeBytes { $0.hash(seed: seed) }
  }

  @Test(arguments: 0..<40)
  func `a hash depends on every byte, the length and the seed`(_ count: Int) {
    let bytes = (0..<count).map { UInt8($0) }
    let hash = Self.hash(bytes, 7)
    #expect(hash == Self.hash(bytes, 7))
    #expect(hash != Self.hash(bytes, 8))
    #expect(hash != Self.hash(bytes + [0], 7))
    for index in bytes.indices {
      var other = bytes
      other[index] ^= 0x80
      #expect(hash != Self.hash(other, 7))
    }
  }

  @Test(arguments: 0..<40)
  func `a target ends at the first byte that is not allowed, wherever that is`(_ count: Int) {
    for byte in UInt8.min...UInt8.max {
      for place in 0..<count {
        var bytes = [UInt8](repeating: 0xC3, count: count)
        bytes[place] = byte
        let expected = bytes.firstIndex { !RequestTarget.isAllowed($0) } ?? count
        #expect(bytes.withUnsafeBytes { RequestTarget.endOfAllowed($0, from: 0) } == expected)
      }
    }
  }
}
