import RecordingTestSupport
import TestSupport
import Testing

@testable import TapedeckFormats
@testable import TapedeckRecording
@testable import TapedeckRedaction

/// The YAML that three libraries write; every value here is what PyYAML makes of the same text with libyaml.
@Suite struct YAMLReaderTests {
  private func parse(_ text: String) throws -> YAMLValue { try YAMLReader.parse(Array(text.utf8)) }

  private static func t(_ text: String) -> YAMLValue { .text(Array(text.utf8)) }
  private static func p(_ text: String) -> YAMLValue { .plain(Array(text.utf8)) }
  private static func m(_ pairs: KeyValuePairs<String, YAMLValue>) -> YAMLValue {
    .map(pairs.map { YAMLMember(name: Array($0.key.utf8), value: $0.value) })
  }

  @Test(
    arguments: [
      ("a", p("a")), ("", .null), ("~", .null), ("null", .null), ("---\n...\n", .null), ("--- a\n", p("a")),
      ("# only a comment\n", .null), ("a # comment", p("a")), ("a#b", p("a#b")), ("a: b", m(["a": p("b")])),
      ("%YAML 1.1\n---\na: b", m(["a": p("b")])), ("\u{FEFF}a: b", m(["a": p("b")])),
      ("http://a:80/b?c", p("http://a:80/b?c")), ("a: b:c", m(["a": p("b:c")])),
      ("a:\r\n  b: c\r\n", m(["a": m(["b": p("c")])])),
      ("a:\nb: 1", m(["a": .null, "b": p("1")])),
      ("a:\n- 1\n- 2\nb: 3", m(["a": .list([p("1"), p("2")]), "b": p("3")])),
      ("a:\n  - 1\n  -\n  - 2", m(["a": .list([p("1"), .null, p("2")])])),
      ("- a: 1\n  b: 2\n- c", .list([m(["a": p("1"), "b": p("2")]), p("c")])),
      ("- - 1\n  - 2\n- 3", .list([.list([p("1"), p("2")]), p("3")])),
      ("-\n  a: 1", .list([m(["a": p("1")])])), ("a:   \n\n  # x\n  b: 1", m(["a": m(["b": p("1")])])),
      ("\"a b\": 'c'", m(["a b": t("c")])), ("'it''s': \"\"", m(["it's": t("")])),
      ("a: {}\nb: []", m(["a": .map([]), "b": .list([])])),
      (
        "a: [1, 'two', \"three\", [4], {b: c}, ]",
        m(["a": .list([p("1"), t("two"), t("three"), .list([p("4")]), m(["b": p("c")])])])
      ),
      ("{a: 1, \"b\":2,\n  c: [\n x y, z]}", m(["a": p("1"), "b": p("2"), "c": .list([p("x y"), p("z")])])),
      ("a: x\n  y\n\n  z\nb: 1", m(["a": p("x y\nz"), "b": p("1")])), ("a:\n  x\n  y", m(["a": p("x y")])),
      ("a: 'x\n\n  y  \n  z'", m(["a": t("x\ny z")])), ("a: \"x \\\n  \\ y\"", m(["a": t("x  y")])),
      ("a: \"x\n  y\\n\\\n  z\"", m(["a": t("x y\nz")])),
      ("\"\\x41\\u00e9\\U0001F600\\t\\\"\\/\\e\"", t("Aé😀\t\"/\u{1B}")),
      ("? a\n: b", m(["a": p("b")])), ("[a b: c]", .list([m(["a b": p("c")])])),
      ("\"a\\  \n b\"", t("a  b")),
      ("a: |\n  x\n   y\n\n  z\n\nb: 1", m(["a": t("x\n y\n\nz\n"), "b": p("1")])),
      ("a: |-\n  x\n", m(["a": t("x")])), ("a: |+\n  x\n\n\nb: 1", m(["a": t("x\n\n\n"), "b": p("1")])),
      ("a: |2\n   x\n  y\n", m(["a": t(" x\ny\n")])), ("a: |\n\n  x\n", m(["a": t("\nx\n")])),
      ("a: |\nb: 1", m(["a": t(""), "b": p("1")])),
      ("- |\n x\n- |1-\n  y", .list([t("x\n"), t(" y")])),
      ("a: >\n  x\n  y\n\n  z\n", m(["a": t("x y\nz\n")])),
      ("a: >-\n  x\n   y\n   z\n  w\n", m(["a": t("x\n y\n z\nw")])), ("a: >\n\n  x\n", m(["a": t("\nx\n")])),
      ("--- |\n x\n", t("x\n")), ("a: |\n  x\n  \ty\n", m(["a": t("x\n\ty\n")])),
      ("a: !!binary |\n  aGVs\n  bG8=\n", m(["a": .binary(Array("hello".utf8))])),
      ("a: !binary |-\n  aGk=", m(["a": .binary(Array("hi".utf8))])),
      ("a: !!binary \"aGk=\"", m(["a": .binary(Array("hi".utf8))])),
      ("a: ! '*/*'\nb: !!str 1", m(["a": t("*/*"), "b": t("1")])),
      ("a: !!python/unicode 'x'", m(["a": t("x")])),
      ("a: &id001\n- 1\nb: *id001", m(["a": .list([p("1")]), "b": .list([p("1")])])),
      ("a: &x {b: 1}\nc: *x\n", m(["a": m(["b": p("1")]), "c": m(["b": p("1")])])),
      ("- &x a\n- *x", .list([p("a"), p("a")])),
      ("a: &x\n  b: 1\nc:\n- *x", m(["a": m(["b": p("1")]), "c": .list([m(["b": p("1")])])])),
      ("-1", p("-1")), ("- -1", .list([p("-1")])), ("a: -b", m(["a": p("-b")])), ("a: ?b", m(["a": p("?b")])),
    ] as [(String, YAMLValue)]) func `is read as written`(text: String, expected: YAMLValue) throws
  {
    #expect(try parse(text) == expected)
  }

  @Test(arguments: [
    ("a: !!python/object:os.system x", 1, 4), ("a: !ruby/object:Hash {}", 1, 4), ("a: *nobody", 1, 4),
    ("a: b\n c: d", 2, 3),
    ("a: 1\n- b", 2, 1), ("- a\nb: 1", 2, 1), ("a: 1\n  b: 2", 2, 4), ("a: [1, 2", 1, 9), ("a: {b: 1", 1, 9),
    ("a: 'x", 1, 4),
    ("a: \"\\q\"", 1, 5), ("a: \"\\ud800\"", 1, 7), ("\"\\ud83d\\ude00\"", 1, 4), ("a: 1\na: 2", 2, 1),
    ("{a: 1, a: 2}", 1, 8),
    ("<<: *x", 1, 1), ("? [a]\n: b", 1, 3), ("a: |\n  \tx", 2, 3),
    ("a: 1\n--- \nb", 2, 1), ("a: 1\n...\nb", 3, 1), ("\ta: 1", 1, 1), ("a:\n\tb: 1", 2, 1), ("a: @b", 1, 4),
    ("a: `b", 1, 4),
    ("%TAG ! x\n---\na", 1, 1), ("a: |x\n  b", 1, 5), ("a: &x *x", 1, 7),
    ("a: !!binary [1]", 1, 4), ("a: !!binary ????", 1, 4),
    ("é: 'x", 1, 4),
  ]) func `is refused by line and column`(text: String, line: Int, column: Int) {
    let error = #expect(throws: YAMLError.self) { try parse(text) }
    #expect(error?.line == line && error?.column == column, "\(String(describing: error))")
  }

  @Test func `what is not UTF-8 is refused`() {
    #expect(throws: YAMLError.self) { try YAMLReader.parse([0x61, 0x3A, 0x20, 0xFF]) }
  }

  @Test func `depth and aliases are bounded`() throws {
    #expect(throws: YAMLError.self) { try parse(String(repeating: "[", count: 5000)) }
    #expect(throws: YAMLError.self) { try parse(String(repeating: "- ", count: 5000)) }
    let bomb = (1...12).reduce("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n") { text, level in
      text + "a\(level): &a\(level) [\((0..<10).map { _ in "*a\(level - 1)" }.joined(separator: ", "))]\n"
    }
    let error = #expect(throws: YAMLError.self) { try parse(bomb) }
    #expect(error?.problem.contains("aliases") == true)
  }

  /// Cut anywhere, and changed anywhere: a value or an error, never a trap.
  @Test func `any bytes end in a value or an error`() {
    let text = Array(
      """
      interactions:
      - request: &id001 {body: null, "h": ['*/*', x]}
        response: !!binary |
          aGVsbG8=
        other: "a\\u00e9 \\
          b"
        folded: >-
          x
           y
      - *id001

      """.utf8)
    for end in text.indices { _ = try? YAMLReader.parse(Array(text[..<end])) }
    var random = SeededGenerator(11)
    for _ in 0..<20_000 {
      var bytes = text
      for _ in 0...random.below(3) { random.mutate(&bytes) }
      _ = try? YAMLReader.parse(bytes)
    }
  }
}
