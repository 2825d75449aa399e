import TestSupport
import Testing

@testable import TapedeckHTTP

private func parse(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

private func error(_ bytes: [UInt8]) -> JSONError? {
  do throws(JSONError) {
    _ = try JSONValue(parsing: bytes)
    return nil
  } catch {
    return error
  }
}

private let sample = #"""
  {"a": [1, -2.50e+10, true, false, null, {}, [], ""],
   "ü\u00fc\ud83d\ude00\ud800": "\"\\\/\b\f\n\r\t héllo 😀 and more than eight plain bytes", "a": 0}
  """#

@Suite struct JSONReaderTests {
  @Test(arguments: [
    "0", "-0", "10", "1.0", "1.50", "1e5", "1E+5", "0.1e-2", "12345678901234567890123", "1e400",
    "-9223372036854775808",
  ])
  func keepsNumbersAsWritten(text: String) throws {
    #expect(String(decoding: try parse(" \(text) ").bytes(), as: UTF8.self) == text)
    guard case .number(let number) = try parse("[\(text)]")[0] else {
      Issue.record("no number")
      return
    }
    #expect(number.raw.elementsEqual(text.utf8))
  }

  @Test(arguments: [
    ("0", 0), ("-0", 0), ("42", 42), ("9223372036854775807", Int.max), ("-9223372036854775808", Int.min),
    ("9223372036854775808", nil), ("-9223372036854775809", nil), ("1.0", nil), ("1e3", nil),
  ])
  func readsIntegers(text: String, expected: Int?) throws {
    #expect(try parse(text).int == expected)
  }

  @Test func readsDoubles() throws {
    #expect(try parse("12.345").double == 12.345)
    #expect(try parse("-1e3").double == -1000)
    #expect(try parse("1e400").double == nil)
  }

  @Test(arguments: [
    (#""""#, ""), (#""a""#, "a"), (#""\u0041\u00e9\u20AC""#, "Aé€"), (#""\ud83d\ude00""#, "😀"),
    (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"),
    (#""0123456789é😀\n0123456789""#, "0123456789é😀\n0123456789"),
    (#""\ud800""#, "\u{FFFD}\u{FFFD}\u{FFFD}"), (#""\ud800\u0041""#, "\u{FFFD}\u{FFFD}\u{FFFD}A"),
  ])
  func decodesStrings(text: String, expected: String) throws {
    let value = try parse(text)
    #expect(value.text.map { Array($0.utf8) } == Array(expected.utf8))
    #expect(value.bytes() == Array(text.utf8))
  }

  @Test func keepsLoneSurrogatesApart() throws {
    guard case .array(let items) = try parse(#"["\ud800", "\ud801", "\udc00\ud800"]"#) else { return }
    let decoded = items.compactMap { item -> [UInt8]? in
      guard case .string(let string) = item else { return nil }
      #expect(string.utf8 == nil)
      return string.decodedBytes
    }
    #expect(decoded == [[0xED, 0xA0, 0x80], [0xED, 0xA0, 0x81], [0xED, 0xB0, 0x80, 0xED, 0xA0, 0x80]])
  }

  @Test func keepsOrderAndDuplicates() throws {
    let value = try parse(#"{"b":1,"a":2,"b":3,"\u0062":4}"#)
    #expect(value.members?.map(\.name.text) == ["b", "a", "b", "b"])
    #expect(value["b"]?.int == 4)
    #expect(value["c"] == nil)
    #expect(value.bytes() == Array(#"{"b":1,"a":2,"b":3,"\u0062":4}"#.utf8))
  }

  @Test(arguments: [
    ("", JSONError.Reason.unexpectedEnd, 1, 1), ("  ", .unexpectedEnd, 1, 3), ("nul", .unexpectedEnd, 1, 4),
    ("nulL", .unexpectedByte(0x4C), 1, 4), ("NaN", .unexpectedByte(0x4E), 1, 1), ("-", .unexpectedEnd, 1, 2),
    ("01", .invalidNumber, 1, 2), ("-x", .invalidNumber, 1, 2), ("1.", .unexpectedEnd, 1, 3),
    ("[1.a]", .invalidNumber, 1, 4), ("1e", .unexpectedEnd, 1, 3), ("+1", .unexpectedByte(0x2B), 1, 1),
    (".5", .unexpectedByte(0x2E), 1, 1), ("Infinity", .unexpectedByte(0x49), 1, 1),
    ("1 2", .trailingBytes, 1, 3),
    ("[1,]", .unexpectedByte(0x5D), 1, 4), ("[,1]", .unexpectedByte(0x2C), 1, 2),
    ("[1 2]", .unexpectedByte(0x32), 1, 4),
    ("{\"a\":1,}", .expectedMemberName, 1, 8), ("{a:1}", .expectedMemberName, 1, 2),
    ("{\"a\" 1}", .unexpectedByte(0x31), 1, 6),
    ("{\n \"é\": x}", .unexpectedByte(0x78), 2, 7), ("'a'", .unexpectedByte(0x27), 1, 1),
    ("\"\\x\"", .invalidEscape, 1, 2), ("\"\\u12g4\"", .invalidEscape, 1, 2),
    ("\"a\nb\"", .controlCharacter(0x0A), 1, 3),
    ("\"abcdefgh\u{1}\"", .controlCharacter(1), 1, 10), ("// c\n1", .unexpectedByte(0x2F), 1, 1),
    ("\u{FEFF}1", .byteOrderMark, 1, 1), ("[1]\u{0}", .trailingBytes, 1, 4),
    ("{\n<<<<<<< HEAD\n}", .conflictMarker, 2, 1), ("<<<<<<< a\n", .conflictMarker, 1, 1),
    ("{\"a\": 1\n=======\n}", .conflictMarker, 2, 1), ("[1,\n>>>>>>> b\n2]", .conflictMarker, 2, 1),
    ("[1\n||||||| base\n]", .conflictMarker, 2, 1), ("{\n<<<<<< HEAD\n}", .expectedMemberName, 2, 1),
    ("[ <<<<<<< ]", .unexpectedByte(0x3C), 1, 3),
  ])
  func refuses(text: String, reason: JSONError.Reason, line: Int, column: Int) {
    let error = error(Array(text.utf8))
    #expect(error?.reason == reason)
    #expect(error?.line == line)
    #expect(error?.column == column)
  }

  @Test(arguments: [
    [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
    [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xC3], [0xE2, 0x82], [0xFF],
  ])
  func refusesWhatIsNotUTF8(bytes: [UInt8]) {
    #expect(error([0x22] + bytes + [0x22])?.reason == .invalidUTF8)
    #expect(!UTF8Scan.isValid(bytes[...]))
  }

  @Test func boundsDepth() throws {
    func nested(_ depth: Int) -> [UInt8] {
      [UInt8](repeating: UInt8(ascii: "["), count: depth)
        + [UInt8](repeating: UInt8(ascii: "]"), count: depth)
    }
    #expect(try JSONValue(parsing: nested(512)).bytes() == nested(512))
    #expect(error(nested(513))?.reason == .tooDeep(limit: 512))
    #expect(error([UInt8](repeating: UInt8(ascii: "["), count: 100_000))?.reason == .tooDeep(limit: 512))
    let objects = String(repeating: #"{"a":"#, count: 100_000)
    #expect(error(Array(objects.utf8))?.reason == .tooDeep(limit: 512))
  }

  @Test func everyTruncationIsAnError() throws {
    let bytes = Array(sample.utf8)
    #expect(error(bytes) == nil)
    for count in 0..<bytes.count { #expect(error(Array(bytes[..<count])) != nil, "cut at \(count)") }
  }

  @Test func mutationsNeverTrapAndWhatIsReadIsWrittenAgain() throws {
    var random = SeededGenerator(20_261_121)
    for _ in 0..<20_000 {
      var bytes = Array(sample.utf8)
      for _ in 0...random.below(3) { random.mutate(&bytes) }
      guard let value = try? JSONValue(parsing: bytes) else { continue }
      let again = try JSONValue(parsing: value.bytes())
      #expect(again == value)
    }
  }
}
