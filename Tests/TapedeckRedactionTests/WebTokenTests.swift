import TapedeckHTTP
import Testing

@testable import TapedeckRedaction

/// A JSON Web Token stays one: its claims are hidden one by one, and its signature says that it was redacted.
@Suite struct WebTokenTests {
  private static let redaction = Redaction(RedactionRules(key: "0123456789abcdef"))

  private static func encoded(_ text: String) -> String {
    String(decoding: Base64.encode(Array(text.utf8), isURL: true, isPadded: false), as: UTF8.self)
  }

  static func token(
    _ payload: String, header: String = #"{"alg":"RS256","typ":"JWT","kid":"k1"}"#,
    signature: String = "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0xyz"
  ) -> String {
    "\(encoded(header)).\(encoded(payload)).\(signature)"
  }

  private static func redacted(_ body: String, keep: [String] = []) -> String {
    let request = HTTPRequest(.post, "/x", body: Array(body.utf8))
    let redaction = Redaction(RedactionRules(key: "0123456789abcdef", keep: keep))
    return String(decoding: redaction.redacted(request).body, as: UTF8.self)
  }

  private static func field(_ name: String, _ value: String, keep: [String] = []) throws -> String {
    var fields = HTTPFields()
    try fields.append(name: Array(name.utf8)[...], value: Array(value.utf8)[...])
    let redacted = Redaction(RedactionRules(key: "0123456789abcdef", keep: keep)).redacted(fields)
    return String(decoding: try #require(redacted.first?.value), as: UTF8.self)
  }

  /// The decoded parts of a token.
  private static func parts(_ token: String) throws -> [String] {
    try token.split(separator: ".").map {
      String(decoding: try #require(Base64.decodeText(Array($0.utf8)[...])), as: UTF8.self)
    }
  }

  private static let claims =
    #"{"iss":"https://id.example.com", "sub":"248289761001","email":"ada@example.com","iat":1700000000,"#
    + #""access_token":"q7Zk2Vt9Lx4Rb8Nw3Yc6","exp": 1700003600}"#

  @Test func staysATokenWhoseClaimsAreHiddenOneByOne() throws {
    let placeholder = Self.redacted(Self.token(Self.claims))
    let parts = try Self.parts(placeholder)
    #expect(parts.count == 3)
    #expect(parts[0] == #"{"alg":"RS256","typ":"JWT","kid":"k1"}"#)
    let hidden = try #require(parts[1].firstRange(of: /REDACTED:secret:[0-9a-f]{8}/))
    var shown = parts[1]
    shown.replaceSubrange(hidden, with: "q7Zk2Vt9Lx4Rb8Nw3Yc6")
    #expect(shown == Self.claims, "the payload is kept byte for byte but for the hidden claim")
    #expect(parts[2].wholeMatch(of: /redacted:[0-9a-f]{8}/) != nil)
  }

  @Test func equalTokensHaveEqualPlaceholdersAndDifferentOnesDiffer() {
    let tokens = [
      Self.token(Self.claims), Self.token(#"{"sub":"2"}"#),
      Self.token(Self.claims, signature: "b1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0xyz"),
    ]
    #expect(Set(tokens.map { Self.redacted($0) }).count == 3)
    #expect(Self.redacted(tokens[0]) == Self.redacted(tokens[0]))
  }

  @Test(arguments: [
    #"{"id_token":"%"}"#, #"{"note":"it is % ."}"#, "id_token_hint=%&state=x", "see %, please", #"["%"]"#,
    "<a>%</a>", #"{"outer":"{\"inner\":\"%\"}"}"#,
  ])
  func hidingTwiceIsHidingOnce(_ place: String) {
    let token = Self.token(Self.claims)
    let body = place.replacing("%", with: token)
    let once = Self.redacted(body)
    #expect(!once.contains(token.suffix(20)))
    #expect(once == place.replacing("%", with: Self.redacted(token)))
    #expect(Self.redacted(once) == once)
    #expect(
      SecretScanner(Self.redaction.rules!).finds(inBody: Array(once.utf8), HTTPFields(), at: "").isEmpty)
    #expect(!SecretScanner().finds(inBody: Array(body.utf8), HTTPFields(), at: "").isEmpty)
    #expect(Placeholder.ranges(in: Array(once.utf8)[...]).count == 1)
  }

  @Test func hidingTwiceIsHidingOnceWhateverTheTextAround() {
    var random = SystemSeed(state: 42)
    let token = Self.token(Self.claims)
    for _ in 0..<300 {
      var text = Array(#"{"a":"x \#(token) y","token":"\#(token)"}"#.utf8)
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let index = Int.random(in: 0..<text.count, using: &random)
        text[index] = UInt8.random(in: 0x20..<0x7F, using: &random)
      }
      let body = String(decoding: text, as: UTF8.self)
      let once = Self.redacted(body)
      #expect(Self.redacted(once) == once, "\(body)")
    }
  }

  @Test func aTokenWithinATokenIsHiddenToo() throws {
    let inner = Self.token(#"{"sub":"inner"}"#)
    let outer = Self.redacted(Self.token(#"{"act":"\#(inner)"}"#))
    #expect(try Self.parts(outer)[1] == #"{"act":"\#(Self.redacted(inner))"}"#)
  }

  @Test(arguments: [
    token(#"{"sub":"1"}"#) + ".abcdefghij.klmnopqrst", token("no json at all"), token(#"["a list"]"#),
  ])
  func whatIsNoSignedJSONIsOneWord(_ token: String) {
    #expect(Self.redacted(token).wholeMatch(of: /REDACTED:jwt:[0-9a-f]{8}/) != nil)
  }

  @Test func aSecretInTheHeaderIsHidden() throws {
    let header = #"{"alg":"HS256","client_secret":"q7Zk2Vt9Lx4Rb8Nw3Yc6"}"#
    let placeholder = Self.redacted(Self.token(#"{"sub":"1"}"#, header: header))
    #expect(try Self.parts(placeholder)[0].contains("REDACTED:secret:"))
  }

  @Test func authorizationHidesTheWholeAlikeForATokenAndItsPlaceholder() throws {
    let token = Self.token(Self.claims)
    let real = try Self.field("Authorization", "Bearer \(token)")
    #expect(real.wholeMatch(of: /Bearer REDACTED:jwt:[0-9a-f]{8}/) != nil)
    #expect(try Self.field("Authorization", "Bearer \(Self.redacted(token))") == real)
    #expect(try Self.field("Authorization", real) == real)
  }

  @Test(arguments: ["jwt", "*", "authorization", "cookie", "set-cookie"])
  func credentialsAreHiddenWhateverIsKept(_ keep: String) throws {
    let token = Self.token(Self.claims)
    for (name, value) in [
      ("Authorization", "Bearer \(token)"), ("Proxy-Authorization", "Bearer \(token)"),
      ("Cookie", "jwt=\(token); theme=a1b2c3d4e5f6g7h8i9"), ("Set-Cookie", "jwt=\(token); Path=/"),
      ("Authorization", "Basic YWRhOnE3WmsyVnQ5THg0UmI4Tnc="),
      ("Authorization", "ghp_abcdefghijklmnopqrstuvwxyz0123456789"),
    ] {
      let hidden = try Self.field(name, value, keep: [keep])
      #expect(hidden != value && !hidden.contains(token.suffix(20)), "\(name) --keep \(keep): \(hidden)")
      #expect(!hidden.contains("a1b2c3d4e5f6g7h8i9"))
    }
    #expect(
      try Self.field("Cookie", "locale=a1b2c3d4e5f6g7h8i9", keep: ["locale"]) == "locale=a1b2c3d4e5f6g7h8i9")
    #expect(Self.redacted(token, keep: ["jwt"]) == token)
  }

  /// A client that verifies `at_hash` needs the access token as well as the ID token.
  @Test func aKeptTokenThatIsACredentialTooStaysInBodies() throws {
    let token = Self.token(Self.claims)
    var request = HTTPRequest(.post, "/\(token)", body: Array(#"{"access_token":"\#(token)"}"#.utf8))
    try request.fields.append("Authorization", "Bearer \(token)")
    let redaction = Redaction(RedactionRules(key: "0123456789abcdef", keep: ["jwt"]))
    let redacted = redaction.redacted(request)
    #expect(redacted.body == request.body && redacted.target == request.target)
    #expect(redacted.fields.first("authorization").map { Placeholder.stands(in: $0) } == true)
  }

  @Test func aRequestSignedByOAuthKeepsPlaceholdersOfItsKeyAndToken() throws {
    func sign(_ nonce: String, token: String = "hh5s93j4hdidpola") throws -> String {
      try Self.field(
        "Authorization",
        #"OAuth oauth_nonce="\#(nonce)", oauth_consumer_key="dpf43f3p2l4k3l03", oauth_token="\#(token)", "#
          + #"oauth_signature="tR3%2BTy81lMeYAr%2FFid0kMTYa%2FWM%3D\#(nonce)""#)
    }
    let first = try sign("7d8f3e4a")
    #expect(
      first.wholeMatch(
        of: /OAuth oauth_consumer_key=REDACTED:secret:[0-9a-f]{8}, oauth_token=REDACTED:secret:[0-9a-f]{8}/)
        != nil)
    #expect(try sign("0a9b8c7d") == first)
    #expect(try sign("7d8f3e4a", token: "kkk9d7dh3k39sjv7") != first)
    #expect(try Self.field("Authorization", first) == first)
    let token = try #require(first.split(separator: "oauth_token=").last).replacing(":", with: "%3A")
    #expect(try sign("1", token: String(token)) == first)
  }
}

/// A reproducible generator (SplitMix64).
private struct SystemSeed: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
