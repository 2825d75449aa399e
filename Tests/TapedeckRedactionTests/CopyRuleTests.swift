import TapedeckHTTP
import Testing

@testable import TapedeckRedaction

/// Which secrets are hidden by value, and what counts as a copy of them.
@Suite struct CopyRuleTests {
  @Test(arguments: [
    "a3f9c2d1", "a3f9c2d18b7e4f60", "Zx9-kQ4vTn7bLw2m", "QpwLtkePnpaLw", "p!9@x#2$Lq", "AB3D-9KLM-2X7Q",
    "0b5e2c1a-7f43-4d58-9c1e-3a6b8d7f2e10", "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "MTIzNDU2Nzg5/abc+DEF==",
  ])
  func whatLooksRandomIsHiddenByValue(_ secret: String) {
    #expect(CopyRule.mayBeCopied(Array(secret.utf8)[...]))
  }

  @Test(arguments: [
    "", "admin", "hunter2", "a1b2c3d", "password", "password1", "postgres", "read-write", "summer2026",
    "2026-11-21T01:52:33Z", "1234567890", "api.example.com", "correct horse battery", "/var/lib/x",
    "me@example.com", "https://example.com/a1b2c3d4e5",
  ])
  func whatReadsLikeAWordIsHiddenOnlyUnderItsName(_ secret: String) {
    #expect(!CopyRule.mayBeCopied(Array(secret.utf8)[...]))
  }

  private func hidden(_ text: String, _ secrets: String...) -> String {
    var known = KnownSecrets()
    for (index, secret) in secrets.enumerated() {
      known.add(Array(secret.utf8), Array("REDACTED:secret:0000000\(index)".utf8))
    }
    let bytes = Array(text.utf8)
    return String(decoding: known.copies(in: bytes[...]).applied(to: bytes[...]), as: UTF8.self)
  }

  @Test(arguments: [
    ("/s/a3f9c2d1/x", "/s/‹›/x"), ("a3f9c2d1", "‹›"), ("\"a3f9c2d1\"", "\"‹›\""), ("id:a3f9c2d1.", "id:‹›."),
    ("/s/a3f9c2d1-8b7e", nil), ("xa3f9c2d1", nil), ("a3f9c2d12", nil), ("x_a3f9c2d1", nil), ("A3F9C2D1", nil),
    ("%2Fa3f9c2d1%2F", "%2F‹›%2F"), (#"{"a":"x\na3f9c2d1"}"#, #"{"a":"x\n‹›"}"#),
    ("%61%33%66%39c2d1", "‹›"), ("%2561%2533f9c2d1", "‹›"),
  ])
  func aCopyIsAWholeWord(_ text: String, _ expected: String?) {
    let expected = expected?.replacing("‹›", with: "REDACTED:secret:00000000")
    #expect(hidden(text, "a3f9c2d1") == expected ?? text)
  }

  @Test func aLongSecretIsFoundBesideAHyphen() {
    #expect(hidden("x-a3f9c2d18b7e4f60_y", "a3f9c2d18b7e4f60") == "x-REDACTED:secret:00000000_y")
    #expect(hidden("xa3f9c2d18b7e4f60", "a3f9c2d18b7e4f60") == "xa3f9c2d18b7e4f60")
  }

  @Test func aWordIsNoCopyOfAPassword() {
    #expect(hidden("/users/admin?x=password1", "admin", "password1") == "/users/admin?x=password1")
  }

  @Test func theLongestSecretIsFoundWhateverTheOrder() {
    let text = "a3f9c2d1.Qx8z7w6v and Qx8z7w6v"
    #expect(
      hidden(text, "Qx8z7w6v", "a3f9c2d1.Qx8z7w6v")
        == "REDACTED:secret:00000001 and REDACTED:secret:00000000")
    #expect(
      hidden(text, "a3f9c2d1.Qx8z7w6v", "Qx8z7w6v")
        == "REDACTED:secret:00000000 and REDACTED:secret:00000001")
  }

  @Test func aPlaceholderIsNoCopy() {
    let text = "REDACTED:secret:a3f9c2d1"
    #expect(hidden(text, "a3f9c2d1") == text)
  }

  @Test func aSecretIsRecognizedByItsHash() throws {
    let policy = try #require(Redaction(upstream: "http://origin.test").policy)
    for secret in [
      "a3f9c2d1", "Zx9-kQ4vTn7bLw2m", "q1w2/e3r4+t5y6u7==", "0b5e2c1a-7f43-4d58-9c1e-3a6b8d7f2e10",
    ] {
      let bytes = Array(secret.utf8)
      let placeholder = try #require(SecretSearch(policy).placeholder(for: bytes[...]))
      for text in [
        secret, "/s?id=\(secret)&x=1", #"{"id":"\#(secret)","n":1}"#, "see \(secret) there",
        Base64.encode(Array("me:\(secret)".utf8)),
        String(decoding: DecodedText.percentEncoded(bytes), as: UTF8.self),
      ] {
        var hashes = SecretHashes(policy)
        hashes.note(Array("x \(String(decoding: placeholder, as: UTF8.self)) y".utf8)[...])
        var known = KnownSecrets()
        hashes.recognize(in: Array(text.utf8)[...], &known)
        #expect(!known.isEmpty, "\(secret) in \(text)")
      }
    }
    var hashes = SecretHashes(policy)
    hashes.note(Array("nothing hidden".utf8)[...])
    #expect(hashes.isEmpty)
  }
}
