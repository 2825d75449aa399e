import TapedeckHTTP
import Testing

@testable import TapedeckRedaction

/// A row of `shapes.json`.
struct ShapeRow: CustomTestStringConvertible {
  var kind, looksLike, pattern, source, finds, ignores: String

  init(_ row: JSONValue) {
    (kind, looksLike) = (row["kind"]?.text ?? "", row["is"]?.text ?? "")
    (pattern, source) = (row["pattern"]?.text ?? "", row["source"]?.text ?? "")
    (finds, ignores) = (Self.example(row["finds"]), Self.example(row["ignores"]))
  }

  /// Examples are written with blanks, so that no scanner of repositories takes one for real.
  private static func example(_ value: JSONValue?) -> String {
    String((value?.text ?? "").filter { $0 != " " })
  }

  /// What is not part of the secret: the text before the parenthesis.
  var kept: String {
    guard let opening = pattern.firstIndex(of: "(") else { return "" }
    return String(pattern[..<opening].filter { $0 != "\\" })
  }

  var secret: String { String(finds.dropFirst(kept.count)) }

  var testDescription: String { pattern }
}

/// The table of shapes: what each finds and ignores, wherever it stands.
@Suite struct ShapeRowTests {
  static let rows = TokenShapes.rows.map(ShapeRow.init)

  private static let policy = RedactionPolicy(RedactionRules(key: RedactionRules.key(upstream: nil)))

  private func hidden(_ text: String) -> String {
    let bytes = Array(text.utf8)
    let finds = SecretSearch(Self.policy).value(bytes[...], depth: 0)
    return String(decoding: finds.applied(to: bytes[...]), as: UTF8.self)
  }

  private func match(_ text: String) -> TokenShapes.Found? {
    TokenShapes.match(Array(text.utf8)[...], at: 0)
  }

  @Test func everyRowIsRead() {
    #expect(Self.rows.count > 300)
    #expect(TokenShapes.rows.compactMap(TokenShapes.shape).count == Self.rows.count)
    #expect(Set(Self.rows.map(\.pattern)).count == Self.rows.count)
  }

  @Test(arguments: rows) func everyRowIsComplete(_ row: ShapeRow) {
    #expect((1...24).contains(row.kind.utf8.count))
    #expect(row.kind.utf8.allSatisfy { ASCII.isDigit($0) || (0x61...0x7A).contains($0) || $0 == 0x2D })
    #expect(row.looksLike.hasPrefix("a ") || row.looksLike.hasPrefix("an "))
    #expect(
      ["https://", "gitleaks ", "trufflehog ", "kingfisher ", "GitHub "].contains { row.source.hasPrefix($0) }
    )
    #expect(row.finds.hasPrefix(row.kept))
  }

  @Test(arguments: rows) func everyExampleIsFoundWhole(_ row: ShapeRow) {
    for end in ["", " and more", "\"", ". ", ")", "&b=c", "\\n"] {
      let found = match(row.finds + end)
      #expect(found?.kind == row.kind)
      #expect(found?.looksLike == row.looksLike)
      #expect(found?.start == row.kept.utf8.count)
      #expect(found?.end == row.finds.utf8.count, "before \(end)")
    }
  }

  /// A slice of a text has other indices than the text.
  @Test(arguments: rows) func everyExampleIsFoundInside(_ row: ShapeRow) {
    let bytes = Array("Use \(row.finds) here.".utf8)
    let found = TokenShapes.match(bytes[4..<(bytes.count - 6)], at: 4)
    #expect(found?.start == 4 + row.kept.utf8.count)
    #expect(found?.end == 4 + row.finds.utf8.count)
  }

  @Test(arguments: rows) func everyExampleIsHidden(_ row: ShapeRow) {
    let example = row.finds
    for (before, after) in [
      ("Use ", " for the next call."), ("(", ")."), (#"{"note":""#, #""}"#),
      (#"["see ", "https://x.test/a/"#, #""]"#),
    ] {
      let text = hidden(before + example + after)
      #expect(text.hasPrefix(before + row.kept + "REDACTED:"))
      #expect(text.hasSuffix(after))
      #expect(
        text.utf8.count == before.utf8.count + row.kept.utf8.count + placeholder(in: text) + after.utf8.count)
      #expect(hidden(text) == text)
    }
  }

  /// The length of the only placeholder in a text.
  private func placeholder(in text: String) -> Int {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard let index = parts.firstIndex(where: { $0.hasSuffix("REDACTED") }), index + 2 < parts.count else {
      return 0
    }
    return "REDACTED::".count + parts[index + 1].utf8.count + 8
  }

  @Test(arguments: rows) func everyExampleIsHiddenInPercentEncodedText(_ row: ShapeRow) {
    let encoded = row.finds.utf8.map { byte in
      ASCII.isWord(byte) || byte == 0x2E ? String(UnicodeScalar(byte)) : "%" + hex(byte >> 4) + hex(byte & 15)
    }
    let text = hidden("The address was %2F" + encoded.joined() + "%20of old.")
    let runs = row.secret.split { !$0.isLetter && !$0.isNumber }.filter { $0.count >= 10 }
    #expect(text.contains("REDACTED:") || text.contains("REDACTED%3A"))
    for run in runs { #expect(!text.contains(run), "\(text)") }
  }

  private func hex(_ digit: UInt8) -> String { String(digit, radix: 16, uppercase: true) }

  /// Texts that the quick check passes are not searched.
  @Test(arguments: rows) func theQuickCheckKnowsEveryExample(_ row: ShapeRow) {
    #expect(TextScan.mayHide(Array(row.finds.utf8)[...]))
    #expect(JSONQuickCheck.mayHide(Array(#"["\#(row.finds)"]"#.utf8)[...]))
  }

  @Test(arguments: rows) func whatARowIgnoresIsFoundByNone(_ row: ShapeRow) {
    for end in ["", " and more", "\""] { #expect(match(row.ignores + end) == nil, "before \(end)") }
  }

  /// The patterns of the table may be slow together with no text.
  @Test(arguments: rows) func everyBeginningOfAnExampleIsReadQuickly(_ row: ShapeRow) {
    let bytes = Array(row.finds.utf8)
    for end in 1...bytes.count { _ = TokenShapes.match(bytes[..<end], at: 0) }
    let long = Array(repeating: bytes, count: 200).joined()
    _ = TokenShapes.match(Array(long)[...], at: 0)
  }
}

/// The language of the patterns.
@Suite struct SecretShapeTests {
  private func match(_ pattern: String, _ text: String) -> String? {
    let shape = SecretShape(kind: "x", looksLike: "an x", pattern: pattern)
    return Array(text.utf8).withUnsafeBufferPointer { bytes in
      shape?.match(in: bytes, at: 0).map { String(decoding: bytes[$0.secret], as: UTF8.self) }
    }
  }

  @Test(arguments: [
    ("ab[0-9]{2,4}", "ab123", "ab123"), ("ab[0-9]{2,4}", "ab1234x", "ab1234"),
    ("ab[0-9]{2,4}", "ab12345", nil),
    ("ab[0-9]{2,4}", "ab1", nil), ("ab[0-9]{2}", "ac12", nil), ("ab[0-9]{2}", "ab", nil),
    ("a[bc]_[a-z0-9]{3}", "ac_x1y", "ac_x1y"), ("a[bc]_[a-z0-9]{3}", "ac_xyz", nil),
    ("a[bc]_[A-Z]{3}", "ad_XYZ", nil), (#"a\.[a-z0-9.-]{3,9}"#, "a.x-1.y.", "a.x-1.y"),
    (#"a\.[a-z0-9.-]{3}"#, "abx-1", nil), ("a-[a-z0-9]{1,9}-x", "a-b1c-x", "a-b1c-x"),
    ("a-[a-z0-9]{1,9}-x", "a-b1c-xy", nil), ("a-[a-z0-9-]{1,9}-x", "a-b1-x-x.", "a-b1-x-x"),
    ("a/(b[0-9]{2})", "a/b12", "b12"), ("a/([a-z0-9]{1,4})/[0-9]{1,2}", "a/b1/22", "b1"),
    ("[0-9]{2,3}:[a-z0-9]{4}", "123:a1b2", "123:a1b2"), ("[0-9]{2,3}:[a-z0-9]{4}", "1:a1b2", nil),
    ("[a-f0-9]{2,4}c-[0-9]{2}", "a1ccc-12", "a1ccc-12"), (#"[\]a]{2}1[0-9]{1}"#, "]a12", nil),
    (#"x[\]A]{2}"#, "x]A", "x]A"),
  ])
  func matchesAsDocumented(_ pattern: String, _ text: String, _ expected: String?) {
    #expect(match(pattern, text) == expected)
  }

  @Test(arguments: ["", "a", "a{2}", "[a-", "[z-a]{2}b", "[a-z]{0,2}bc", "ab\\", "[a-z]{3,2}b"])
  func refusesWhatIsNoPattern(_ pattern: String) {
    #expect(SecretShape(kind: "x", looksLike: "an x", pattern: pattern) == nil)
  }

  @Test func givesUpOnPatternsThatAreSlow() {
    let pattern = "x[a1]{1,200}[a1]{1,200}[a1]{1,200}[a1]{1,200}-"
    #expect(match(pattern, "x" + String(repeating: "a1", count: 2000)) == nil)
  }
}

@Suite struct TokenShapesTests {
  /// One of every provider: `<L20>` stands for 20 letters and digits, `<D32>` for 32 hexadecimal digits, so that no
  /// scanner of repositories takes one for real.
  private static let written: [(String, String)] = [
    ("ghp_<L36>", "github"),
    ("github_pat_<L22>_<L59>", "github"),
    ("glpat-<L20>", "gitlab"),
    ("AKIAABCDEFGHIJ234567", "aws"),
    ("ASIAABCDEFGHIJ234567", "aws"),
    ("AIza<L35>", "google"),
    ("ya29.<L40>", "google"),
    ("GOCSPX-<L28>", "google"),
    ("sk-<L48>", "openai"),
    ("sk-proj-<L48>", "openai"),
    ("sk-ant-api03-<L60>", "anthropic"),
    ("sk_live_<L24>", "stripe"),
    ("rk_test_<L24>", "stripe"),
    ("whsec_<L32>", "stripe"),
    ("xoxb-123456789012-<L24>", "slack"),
    ("xapp-1-<L40>", "slack"),
    ("SG.<L22>.<L43>", "sendgrid"),
    ("npm_<L36>", "npm"),
    ("pypi-<L60>", "pypi"),
    ("dckr_pat_<L27>", "docker"),
    ("hf_<L34>", "huggingface"),
    ("shpat_<D32>", "shopify"),
    ("dop_v1_<D64>", "digitalocean"),
    ("hvs.<L24>", "vault"),
    ("lin_api_<L40>", "linear"),
    ("glsa_<L32>_<D8>", "grafana"),
    ("SK<D32>", "twilio"),
    ("key-<D32>", "mailgun"),
    ("dapi<D32>", "databricks"),
    ("123456789:AA<L33>", "telegram"),
    ("NRAK-<L27>", "newrelic"),
    ("gsk_<L52>", "groq"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.<L43>", "jwt"),
    ("eyJhbGciOiJub25lIn0.eyJzdWIiOiIxMjM0NSJ9.", "jwt"),
    ("-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQ==\n-----END PRIVATE KEY-----", "pem"),
    ("-----BEGIN RSA PRIVATE KEY-----\\nMIIEvQIBADANBg\\n-----END RSA PRIVATE KEY-----", "pem"),
  ]

  static let tokens = written.map { (filled($0.0), $0.1) }

  private static func filled(_ text: String) -> String {
    var out = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
      let fill = rest[rest.index(after: open)..<close]
      let source = fill.hasPrefix("L") ? letters : digits
      out += rest[..<open] + source.prefix(Int(fill.dropFirst()) ?? 0)
      rest = rest[rest.index(after: close)...]
    }
    return out + rest
  }

  private static let letters = String(repeating: "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0", count: 3)
  private static let digits = String(repeating: "0123456789abcdef", count: 5)

  @Test(arguments: tokens) func knowsTokens(_ text: String, _ kind: String) {
    let found = TokenShapes.match(Array(text.utf8)[...], at: 0)
    #expect(found?.kind == kind)
    #expect(found?.end == text.utf8.count)
    #expect(TokenShapes.match(Array((text + " and more").utf8)[...], at: 0)?.end == text.utf8.count)
  }

  @Test(arguments: [
    "sk-fading-circle-dots-container-large", "ghp_short", "AKIAabcdefghijklmnop", "eyJust.a.sentence",
    "key-value-pairs-in-objects-of-js",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
    "pattern-matching-with-many-words-in-it-that-goes-on-and-on-until-it-is-quite-long-ok",
    "skills_and_more_skills_everywhere",
    "SKILLS", "hf_transfer", "npm_config_registry", "secret_name",
    "npm_lifecycle_event_of_a_rather_long_name",
    "550e8400-e29b-41d4-a716-446655440000", "d41d8cd98f00b204e9800998ecf8427e", "EAAA",
    "REDACTED:github:01234567",
  ])
  func knowsWhatIsNone(_ text: String) { #expect(TokenShapes.match(Array(text.utf8)[...], at: 0) == nil) }

  @Test func everyPrefixOfATokenIsLeftOrHiddenButNeverATrap() {
    for (text, _) in Self.tokens {
      let bytes = Array(text.utf8)
      for end in 1...bytes.count { _ = TokenShapes.match(bytes[..<end], at: 0) }
    }
  }
}
