import RecordingTestSupport
import TapedeckHTTP
import TestSupport
import Testing

@testable import TapedeckFormats
@testable import TapedeckRecording
@testable import TapedeckRedaction

@Suite struct YAMLWriterTests {
  private func text(_ value: YAMLValue) -> String { String(decoding: YAMLWriter.bytes(value), as: UTF8.self) }

  @Test func `maps and lists stand as the tools write them`() {
    let value: YAMLValue = [
      "interactions": .list([
        ["headers": ["Accept": .list(["*/*"])], "body": .null], ["empty": .list([]), "none": .map([])],
      ]),
      "version": YAMLValue(1),
    ]
    #expect(
      text(value) == """
        interactions:
        - headers:
            Accept:
            - "*/*"
          body: null
        - empty: []
          none: {}
        version: 1

        """)
  }

  @Test(arguments: [
    ("plain", #""plain""#), ("", #""""#), ("a\"b\\c", #""a\"b\\c""#), ("é😀", #""é😀""#),
    ("\u{0}\u{7}\u{7F}\u{85}", #""\x00\x07\x7F\x85""#),
    ("\u{2028}\u{FEFF}\u{FFFE}", #""\u2028\uFEFF\uFFFE""#),
  ])
  func `what is no printable character is escaped`(text: String, written: String) {
    #expect(self.text(YAMLValue(text)) == written + "\n")
  }

  @Test(arguments: ["yes", "null", "a b", "", "-x", "1", "a:b", "Ü"])
  func `names that mean something else are quoted`(name: String) throws {
    let map = YAMLValue.map([YAMLMember(name: Array(name.utf8), value: "x")])
    #expect(text(map).hasPrefix("\""))
    #expect(try YAMLReader.parse(YAMLWriter.bytes(map)) == map)
  }

  @Test func `everything is read as it was written`() throws {
    var luck = SeededGenerator(9)
    for _ in 0..<500 {
      let value = some(depth: 3, &luck)
      #expect(try YAMLReader.parse(YAMLWriter.bytes(value)) == value, "\(text(value))")
    }
  }

  private func some(depth: Int, _ luck: inout SeededGenerator) -> YAMLValue {
    switch Int.random(in: depth > 0 ? 0...4 : 2...4, using: &luck) {
    case 0:
      return .list((0..<Int.random(in: 1...4, using: &luck)).map { _ in some(depth: depth - 1, &luck) })
    case 1:
      return .map(
        (0..<Int.random(in: 1...4, using: &luck)).map { index in
          YAMLMember(name: Array("n\(index) ".utf8), value: some(depth: depth - 1, &luck))
        })
    case 2:
      return .binary(
        (0..<Int.random(in: 1...40, using: &luck)).map { _ in .random(in: 0...255, using: &luck) })
    case 3: return .null
    default:
      let scalars = (0..<Int.random(in: 0...40, using: &luck)).map { _ in
        UnicodeScalar(UInt32.random(in: 0...0x2FFFF, using: &luck)) ?? " "
      }
      return YAMLValue(String(String.UnicodeScalarView(scalars)))
    }
  }
}
