import Testing

@testable import TapedeckRedaction

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
