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

  @Test(
    arguments: [
      "", "a", "te", "z9_", "etag", "[{`@", "host-", "expect", "-_az09@", "location", "set-cookie",
      "x{y}z~[|]`@^",
      "transfer-encoding", "proxy-authorization-_0189",
    ] as [StaticString])
  func `texts are compared without the case of letters, and with that of nothing else`(_ text: StaticString) {
    let lower = Array(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    let upper = lower.map { (0x61...0x7A).contains($0) ? $0 & 0xDF : $0 }
    for word in [lower, upper] {
      #expect(ASCII.equal(word[...], lowercase: text))
      #expect(!ASCII.equal((word + [0])[...], lowercase: text))
      for place in word.indices {
        for byte in UInt8.min...UInt8.max {
          var other = word
          other[place] = byte
          let isEqual = ASCII.lowercased(byte) == lower[place]
          guard ASCII.equal(other[...], lowercase: text) != isEqual else { continue }
          Issue.record("\(byte) at \(place) of \(text)")
        }
      }
    }
  }

  @Test(arguments: 0..<20) func `a word is filled up behind the end`(_ count: Int) {
    let bytes = (0..<count).map { UInt8($0 + 200) }
    for index in 0..<count + 3 {
      let expected = (index..<index + 8).reversed().reduce(0 as UInt64) { word, place in
        word << 8 | UInt64(place < count ? bytes[place] : 0x21)
      }
      #expect(bytes.withUnsafeBytes { $0.word(at: index, filledWith: 0x21) } == expected, "\(index)")
    }
  }

  @Test func `letters and hyphens are told from all others`() {
    for place in 0..<8 {
      for byte in UInt8.min...UInt8.max {
        var word = Array("Zz-aAZ-z".utf8)
        word[place] = byte
        let others = word.firstIndex { !ASCII.isLetter($0) && $0 != UInt8(ascii: "-") }
        let letters = ASCII.lettersBeforeOthers(word.withUnsafeBytes { $0.word(at: 0, filledWith: 0) })
        guard letters != others ?? 8 else { continue }
        Issue.record("\(byte) at \(place): \(letters)")
      }
    }
  }

  @Test(arguments: 0..<24) func `a value ends at the first control character`(_ count: Int) {
    for place in 0..<count {
      for byte in UInt8.min...UInt8.max {
        var bytes = [UInt8](repeating: 0xC3, count: count + 1)
        bytes[place] = byte
        let end = bytes.withUnsafeBytes { ASCII.endOfFieldValue($0, from: 0, to: count) }
        guard end != (ASCII.isFieldValue(byte) ? count : place) else { continue }
        Issue.record("\(byte) at \(place): \(end)")
      }
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
