import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

/// What the scanner takes for a secret, and what it leaves alone.
@Suite struct ScannerTests {
  // Put together here, so that no scanner of repositories takes them for real.
  private static let token = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"
  private static let random = "a8Kz0Q3mP7xV2bN5cR9t"
  private static let key =
    "-----BEGIN PRIVATE " + "KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg\n-----END PRIVATE "
    + "KEY-----"

  private static func finds(_ text: String, keep: [String] = []) -> [SecretFind] {
    SecretScanner(keep: keep).finds(in: Array(text.utf8), file: "f")
  }

  @Test(arguments: [
    "see \(token) there", "{\"a\": [1, \"\(token)\"]}", "password=hunter22x", "password: '\(random)'",
    "MY_API_KEY=\(random)", "a=1&loginpwd=\(random)&b=2", "https://me:correct-horse@example.test/",
    "{\"password\": \"hunter2\"}", "{\"name\": \"X-Api-Key\", \"value\": \"\(random)\"}",
    "[[\"Authorization\", \"Bearer abcd\"]]",
    "{\"cookies\": [{\"name\": \"sid\", \"value\": \"\(random)\"}]}",
    "{\"headers\": {\"authorization\": [\"Bearer abcd1\"]}}", "Authorization:\n- Bearer \(random)\n",
    "{\"inner\": \"{\\\"password\\\": \\\"hunter2\\\"}\"}", key, "x \(key) y",
    Base64.encode(Array("{\"password\": \"correct-horse\"}".utf8)),
    "{\"a\": \"\(Base64.encode(BodyCoding.gzip.encoded(Array("the token is \(token)".utf8)) ?? []))\"}",
    "{\"\(token)\": {\"a\": 1}}", "{\"loginpwd\": \"\(random)",
  ])
  func secrets(text: String) {
    let finds = Self.finds(text)
    #expect(finds.count == 1, "\(finds)")
    for find in finds {
      #expect(!find.description.contains("hunter2") && !find.description.contains(Self.token))
      #expect(!find.description.contains(Self.random) && find.beginning.count <= 3)
    }
  }

  @Test(arguments: [
    "", "plain text",
    "{\"id\": \"9b2d6f0c-3c1e-4a5d-8f7a-0123456789ab\", \"etag\": \"33a64df551425fcc55e4d42a148795d9\"}",
    "{\"token_type\": \"bearer\", \"expires_in\": 3600}", "{\"password\": null, \"secret\": true}",
    "{\"next_page_token\": \"CAoQAA12345678\"}", "{\"password\": \"REDACTED:secret:0d9cab43\"}",
    "secret:REDACTED:secret:0d9cab43", "Authorization: Bearer REDACTED:jwt:00aa11bb",
    "password = document.getElementById(\"p\")", "var secret=config.get(\"secret\")",
    "-----BEGIN PRIVATE " + "KEY----- is the first line of one", "token: required",
    "{\"tokenName\": \"\(random)\"}",
    "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUZ\n-----END CERTIFICATE-----",
    "https://example.test/a:b@c", "https://REDACTED:secret:0d9cab43@example.test/",
    "{\"sha256\": \"\(String(repeating: "0a1b", count: 16))\"}",
    "{\"cookies\": [{\"name\": \"a\", \"value\": \"\(Base64.encode("x=REDACTED:secret:0d9cab43".utf8))\"}]}",
    "{\"ClientRequestToken\": \"\(random)\", \"nextPageToken\": \"\(random)\"}",
    "{\"csrf\": \"required\"}", "{\"session_id_length\": \"12345678901234567890a\"}",
  ])
  func noSecrets(text: String) { #expect(Self.finds(text) == []) }

  @Test(arguments: [
    "{\"otp\": \"493021\", \"n\": 1}", "{\"session_id\": \"9b2d6f0c-3c1e-4a5d-8f7a-0123456789ab\"}",
    "{\"name\": \"DB_PASSWORD\", \"value\": \"pa55\"}", "{\"headers\": {\"Cookie\": \"a=b1c2d3e4\"}}",
    "<SecretAccessKey>wJalr/XUtn</SecretAccessKey>", "<input name=\"csrf_token\" value=\"a1b2c3d4e5\">",
    "see https://h/?sig=a1b2c3d4e5f6#top", "log: {\\\"password\\\":\\\"hunter2\\\"}",
    "shippo_live_" + String(repeating: "0a", count: 20),
    "{\"password\": [\"x1\", \"x2\"]}{\"n\": \"cut", "u=https%3A%2F%2Fx.test%2F%3Ftoken%3Da1b2c3d4e5",
  ])
  func `what redaction hides, the scanner reports`(text: String) throws {
    let original = exchange(answers: [("Content-Type", "text/plain")], body: Array(text.utf8))
    let (redacted, count) = Redaction(upstream: nil).redacted(original)
    #expect(count > 0)
    #expect(try places(original).count == count)
    #expect(try places(redacted) == [])
  }

  @Test(arguments: [
    ("{\"loginpwd\": \"\(random)\"}", "*pwd"), ("{\"loginpwd\": {\"a\": \"\(token)\"}}", "loginpwd"),
    ("loginpwd=\(random)", "loginpwd"), ("demo=\(token)&a=1", "demo"), ("see \(token)", "github"),
    ("{\"name\": \"X-Api-Key\", \"value\": \"\(random)\"}", "x-api-key"),
    ("[[\"Authorization\", \"Bearer abcd\"]]", "authorization"),
  ])
  func whatTheUserKeepsIsNoFind(text: String, keep: String) {
    #expect(!Self.finds(text).isEmpty || keep == "demo" && !Self.finds(Self.token).isEmpty)
    #expect(Self.finds(text, keep: [keep]) == [])
  }

  @Test(
    arguments: [
      ("{\"a\": [{\"loginpwd\": \"\(random)\"}]}", "$.a[0].loginpwd", "loginpwd"),
      ("{\"a b\": \"\(token)\"}", "$[\"a b\"]", nil),
      ("{\"h\": [[\"X-Api-Key\", \"\(random)\"]]}", "$.h[0] X-Api-Key", "X-Api-Key"),
      ("{\"\(token)\": {\"password\": \"hunter2\"}}", "$.….password", "password"),
    ] as [(String, String, String?)])
  func placesAreTold(text: String, place: String, name: String?) {
    let find = Self.finds(text).last
    #expect(find?.place == place)
    #expect(find?.name == name)
  }

  @Test func textsAreToldByLine() {
    #expect(Self.finds("a\nb\npassword=hunter22x\n").map(\.line) == [3])
    #expect(Self.finds("a\nx password='hunter22x'\n\nsecret='hunter22y'").map(\.line) == [2, 4])
  }

  // MARK: Exchanges

  private func places(_ interaction: Interaction) throws -> [String] {
    try SecretScanner().finds(in: interaction, file: "get-x-123456.json").map { $0.place ?? "" }
  }

  private static let form = ("Content-Type", "application/x-www-form-urlencoded")
  private static let json = ("Content-Type", "application/json")

  @Test func everyPartOfAnExchangeIsLookedAt() throws {
    let packed = BodyCoding.gzip.encoded(Array("{\"loginpwd\":\"\(Self.random)\"}".utf8)) ?? []
    var interaction = exchange(
      "POST", "/a/\(Self.token)?loginpwd=\(Self.random)",
      headers: [("X-Api-Key", Self.random), ("Cookie", "theme=dark; sid=\(Self.random)"), Self.form],
      sends: Array("user=a&loginpwd=x%2F\(Self.random)".utf8),
      answers: [("Set-Cookie", "sid=\(Self.random); Path=/"), Self.json, ("Content-Encoding", "gzip")],
      body: packed)
    interaction.response.trailers = fields([("X-Token", Self.random)])
    #expect(
      try places(interaction) == [
        "request.target", "request.target loginpwd", "request.headers X-Api-Key", "request.headers Cookie",
        "request.body loginpwd", "response.headers Set-Cookie", "response.trailers X-Token",
        "response.body $.loginpwd",
      ])
  }

  @Test func partsOfAMultipartBodyHaveNames() throws {
    let body = "--b\r\nContent-Disposition: form-data; name=\"loginpwd\"\r\n\r\n\(Self.random)\r\n--b--\r\n"
    let interaction = exchange(
      "POST", "/", headers: [("Content-Type", "multipart/form-data; boundary=b")], sends: Array(body.utf8))
    #expect(try places(interaction) == ["request.body loginpwd"])
  }

  @Test func theNameOfAFileDoesNotTellWhatItIsMadeOf() throws {
    let interaction = exchange("GET", "/a/\(Self.token)")
    let name = "get-a-ghp-ab3de5gh7jk9-3f9a1c.json"
    #expect(try SecretScanner().finds(in: interaction, file: name).map(\.file) == ["get-…-3f9a1c.json"])
  }

  @Test func shippedCassettesAndRedactedExchangesAreClean() throws {
    let redaction = Redaction(upstream: "http://origin.test")
    let interaction = exchange(
      "POST", "/?access_token=\(Self.random)",
      headers: [("Authorization", "Bearer \(Self.random)"), Self.json],
      sends: Array("{\"password\":\"hunter2\",\"t\":\"\(Self.token)\"}".utf8))
    #expect(try places(interaction).count == 4)
    #expect(try places(redaction.redacted(interaction).0) == [])
  }
}
