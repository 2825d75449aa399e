import TapedeckHTTP
import Testing

/// Searches of texts by their UTF-8.
@Suite struct StringSearchTests {
  @Test(
    arguments: [
      ("http://a", "://", 4), ("aab", "ab", 1), ("aaab", "aab", 1), ("ab", "abc", nil), ("", "a", nil),
      ("", "", 0),
      ("a", "", 0), ("ünïcödé", "cö", 5), ("e\u{301}", "e", 0), ("\r\n", "\n", 1), ("a😀b", "😀", 1),
      ("ä", "a", nil),
    ] as [(String, String, Int?)])
  func isFoundAtItsFirstPlace(_ text: String, _ part: String, _ offset: Int?) {
    let range = text.firstRange(of: part)
    #expect(range.map { text.utf8.distance(from: text.startIndex, to: $0.lowerBound) } == offset)
    #expect(
      range.map { text.utf8.distance(from: $0.lowerBound, to: $0.upperBound) }
        == offset.map { _ in part.utf8.count })
    #expect(text.contains(part) == (offset != nil))
  }

  @Test func ofASubstringIsAPlaceInTheWhole() {
    let text = "key=ä=b"
    let rest = text[text.index(text.startIndex, offsetBy: 4)...]
    #expect(rest.firstRange(of: "=").map { text[$0.upperBound...] } == "b")
    #expect(!rest.contains("key"))
  }

  @Test(arguments: [
    ("~a/b~", "~", "~0", "~0a/b~0"), ("aaa", "aa", "b", "ba"), ("abc", "x", "y", "abc"),
    ("abc", "", "y", "abc"),
    ("a-b", "-", "", "ab"), ("--", "-", "--", "----"), ("ö", "ö", "oe", "oe"),
  ])
  func everyOccurrenceIsReplacedOnce(_ text: String, _ part: String, _ new: String, _ result: String) {
    #expect(text.replacing(part, with: new) == result)
  }

  @Test func bytesAreFoundInASlice() {
    let bytes: [UInt8] = [1, 2, 3, 1, 2, 3]
    #expect(bytes[1...].firstRange(of: [1, 2]) == 3..<5)
    #expect(bytes[1...].firstRange(of: [3, 3]) == nil)
  }
}
