import Testing

@testable import TapedeckCLI

@Test(
  arguments: [
    ("plain /users?a=1", "plain /users?a=1"),
    ("\u{1B}[31mred", "\\u{1b}[31mred"),
    ("a\nb\tc\r", "a\\u{a}b\\u{9}c\\u{d}"),
    ("\u{9B}31m\u{7F}", "\\u{9b}31m\\u{7f}"),
    ("\u{202E}gnp.exe", "\\u{202e}gnp.exe"),
    ("é 日本 🎞", "é 日本 🎞"),
  ])
func `nothing of others steers the terminal`(text: String, shown: String) {
  #expect(Printable.line(text) == shown)
}

@Test(
  arguments: [
    ("mrege", "; did you mean merge?"), ("lsit", ""), ("veirfy", "; did you mean verify?"),
    ("merg", "; did you mean merge?"), ("xxxxx", ""), ("hra", "; did you mean har?"),
  ])
func `two neighbours that changed places are one mistake`(word: String, hint: String) {
  #expect(word.suggestion(among: ["merge", "verify", "har"]) == hint)
}

@Test(
  arguments: [
    (Array("/users?f={\"id\":1}".utf8), "/users?f={\"id\":1}"), (Array("/é".utf8), "/é"),
    ([0x2F, 0xE9, 0x2F], "/%E9/"), ([0x2F, 0x9B, 0x33], "/%9B3"), ([0x2F, 0xC2, 0x9B], "/\\u{9b}"),
    ([0x2F, 0xE2, 0x80, 0xAE], "/\\u{202e}"),
  ] as [([UInt8], String)])
func `a target of any bytes is one line of text`(target: [UInt8], shown: String) {
  var out: [UInt8] = []
  Printable.appendLine(target, to: &out)
  #expect(String(decoding: out, as: UTF8.self) == shown)
}

@Test(
  arguments: [
    (#"{"a":"é"}"#, #"{"a":"é"}"#), ("{\"a\":\"\u{9B}31m\u{7F}\"}", #"{"a":"\u009b31m\u007f"}"#),
    ("{\n  \"\u{202E}\": 1\n}", "{\n  \"\\u202e\": 1\n}"),
  ])
func `JSON says the same without what steers`(json: String, shown: String) {
  #expect(String(decoding: Printable.json(Array(json.utf8)), as: UTF8.self) == shown)
}

@Test func `lines keep their ends and nothing else`() {
  #expect(Printable.lines("a\n\tb\r\n\u{1B}c") == "a\n\tb\\u{d}\n\\u{1b}c")
}

@Test(
  arguments: [
    ("/users/1", 8, "/users/1"), ("/users/12", 8, "/use…/12"), ("/users/12", 2, "/…"), ("/users/12", 1, "…"),
    ("/users/12", 0, ""), ("日本語テキスト", 5, "日本…スト"),
  ])
func `both ends of a text stay`(text: String, width: Int, shown: String) {
  #expect(text.shortened(to: width) == shown)
  #expect(shown.width <= width)
}

private func table(_ rows: [[String]]) -> TextTable<[String]> {
  TextTable(
    columns: [
      .init(heading: "A") { $0[0] }, .init(heading: "PATH", minimumWidth: 4) { $0[1] },
      .init(heading: "N", isNumeric: true) { $0[2] }, .init(heading: "FILE", minimumWidth: 6) { $0[3] },
    ], rows: rows)
}

@Test func `a table is as wide as it must be, and no wider than the terminal`() {
  let rows = [["x", "/a", "1", "a.json"], ["yy", "/long/path/here", "100", "long-path-here.json"]]
  let plain = Style(hasColor: false)
  #expect(
    table(rows).text(width: nil, style: plain) == """
      A   PATH               N  FILE
      x   /a                 1  a.json
      yy  /long/path/here  100  long-path-here.json

      """)
  for width in [25, 30, 35, 44] {
    let lines = table(rows).text(width: width, style: plain).split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= width }, "\(width): \(lines)")
    #expect(lines.map(\.count).max() == min(width, 44), "\(width): room is left unused: \(lines)")
  }
  // What cannot give way stays.
  #expect(table(rows).text(width: 5, style: plain).split(separator: "\n").allSatisfy { $0.count <= 21 })
}

@Test func `colour does not count`() {
  let coloured = TextTable<[String]>(
    columns: [
      .init(heading: "A", color: { $0[0] == "x" ? .red : nil }) { $0[0] }, .init(heading: "B") { $0[1] },
    ], rows: [["x", "y"], ["long", "z"]])
  #expect(
    coloured.text(width: 20, style: Style(hasColor: true))
      == "\u{1B}[2mA\u{1B}[0m     \u{1B}[2mB\u{1B}[0m\n\u{1B}[31mx\u{1B}[0m     y\nlong  z\n")
}

@Test(
  arguments: [
    (0, "0 B"), (1023, "1023 B"), (1024, "1 KiB"), (1 << 20, "1 MiB"), (3 << 30, "3 GiB"),
    ((1 << 20) - 1, "1024 KiB"),
  ])
func `sizes are rounded`(bytes: Int, text: String) {
  #expect(HumanText.size(bytes) == text)
}

@Test(
  arguments: [
    (-5, "0 s"), (5, "5 s"), (119, "119 s"), (120, "2 min"), (7200, "2 h"), (172_800, "2 d"),
    (5_184_000, "2 mo"),
    (63_072_000, "2 y"),
  ])
func `ages have one unit`(seconds: Int, text: String) {
  #expect(HumanText.age(seconds) == text)
}

@Test func `progress is one line`() {
  #expect(
    Progress.line("verifying", done: 37, total: 120, subject: "GET /a\u{1B}")
      == "tapedeck: verifying 37 of 120 (30 %)  GET /a\\u{1b}")
  #expect(Progress.line("reading", done: 5, total: nil, subject: "") == "tapedeck: reading 5")
  #expect(Progress.line("reading", done: 5, total: 0, subject: "") == "tapedeck: reading 5")
}
