import Testing

@testable import TapedeckHTTP

/// The end of what a JSON string holds as it is, which is looked for in many bytes at a time.
@Suite struct PlainTextEndTests {
  @Test func `any byte is found or passed, wherever it stands`() {
    for count in 1..<36 {
      for place in 0..<count {
        var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: count)
        for byte in UInt8.min...UInt8.max {
          bytes[place] = byte
          let isPlain = (0x20..<0x80).contains(byte) && !"\"\\".utf8.contains(byte)
          let end = bytes.withUnsafeBytes { JSONString.endOfPlain($0, from: 0) }
          let isAllPlain = bytes.withUnsafeBytes { JSONString.isPlain($0) }
          guard end == (isPlain ? count : place), isAllPlain == isPlain else {
            Issue.record("byte \(byte) at \(place) of \(count): \(end)")
            return
          }
        }
      }
    }
  }

  @Test func `the first of several counts, from the place on where the search begins`() {
    var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: 40)
    for place in [3, 19, 21, 37] { bytes[place] = UInt8(ascii: "\"") }
    let ends = (0...40).map { start in bytes.withUnsafeBytes { JSONString.endOfPlain($0, from: start) } }
    let expected = (0...40).map { start in [3, 19, 21, 37, 40].first { $0 >= start } }
    #expect(ends.map(Optional.some) == expected)
  }
}
