import Testing

@testable import TapedeckHTTP

@Suite struct JSONStyleTests {
  @Test(arguments: [
    (#"{"a":[1,{"b":null}],"c":{},"d":[]}"#, "compact"),
    (#"{"a":1}"# + "\n", "compact+newline"),
    (#"{"a": [1, {"b": null}], "c": {}, "d": []}"#, "spaced"),
    ("{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {},\n  \"c\": []\n}", "indent-2"),
    ("{\n    \"a\": 1\n}\n", "indent-4+newline"), ("[\n1,\n2\n]", "indent-0"),
    ("[\n\t1,\n\t[\n\t\t2\n\t]\n]", "tabs"),
    ("1.50", "compact"), (#""\u0041""#, "compact"), ("[]", "compact"), ("{}\n", "compact+newline"),
    ("[1]", "compact"),
  ])
  func findsTheStyle(text: String, name: String) throws {
    let bytes = Array(text.utf8)
    let value = try JSONValue(parsing: bytes)
    let style = JSONStyle.detect(bytes, of: value)
    #expect(style?.description == name)
    #expect(JSONStyle(name: name) == style)
    #expect(style.map { value.bytes($0) } == bytes)
  }

  @Test(arguments: [
    #"{"a":1, "b":2}"#, #"{"a" : 1}"#, " 1", "1 ", "1\r\n", "1\n\n", "{ }", "[ ]", "[\n]", "[\n  1\n ]",
    "[\r\n  1\r\n]",
    "{\n  \"a\": {\n  }\n}", "[\n   \t1\n]",
  ])
  func findsNoStyle(text: String) throws {
    let bytes = Array(text.utf8)
    #expect(JSONStyle.detect(bytes, of: try JSONValue(parsing: bytes)) == nil)
  }

  @Test(arguments: [
    "", "Compact", "indent-", "indent-+2", "indent-02", "indent-65", "indent-2+newline+newline", "tab",
  ])
  func refusesOtherNames(name: String) { #expect(JSONStyle(name: name) == nil) }

  @Test func anIndentBeyondTheLimitHasNoStyle() throws {
    let bytes = Array(("[\n" + String(repeating: " ", count: 65) + "1\n]").utf8)
    #expect(JSONStyle.detect(bytes, of: try JSONValue(parsing: bytes)) == nil)
  }

  @Test func buildsAndEscapes() {
    let value: JSONValue = ["a\"\\\u{1}\n\u{7F}é": [1, true, nil, "x"], "b": [:]]
    #expect(
      String(decoding: value.bytes(.spaced), as: UTF8.self)
        == #"{"a\"\\\u0001\n"# + "\u{7F}" + #"é": [1, true, null, "x"], "b": {}}"#)
    #expect(value["a\"\\\u{1}\n\u{7F}é"]?[0]?.int == 1)
    #expect(value["b"]?.members?.isEmpty == true)
  }

  @Test(arguments: [
    (0, "0"), (12.345, "12.345"), (12.3, "12.3"), (12.0, "12"), (0.05, "0.05"), (-1.5, "-1.5"), (1.0004, "1"),
    (1e14, "100000000000000"),
  ])
  func writesThousandths(value: Double, expected: String) {
    #expect(JSONNumber(thousandths: value).map { String(decoding: $0.raw, as: UTF8.self) } == expected)
  }

  @Test func writesNoInfinity() {
    #expect(JSONNumber(thousandths: .infinity) == nil)
    #expect(JSONNumber(thousandths: .nan) == nil)
  }

  @Test func stringsFromBytesMustBeUTF8() {
    #expect(JSONString(utf8: [0x61, 0xFF]) == nil)
    #expect(JSONString(utf8: [0x61, 0x22])?.raw.elementsEqual(#"a\""#.utf8) == true)
    #expect(JSONString(#"a\n"#).isEqual(to: #"a\n"#.utf8))
    #expect(!JSONString("a\n").isEqual(to: #"a\n"#.utf8))
    #expect(JSONString("a\n").isEqual(to: "a\n" as StaticString))
  }
}
