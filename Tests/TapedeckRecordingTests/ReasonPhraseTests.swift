import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

@Suite struct ReasonPhraseTests {
  private static let secret = "ghp_" + "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2"
  private let redaction = Redaction(upstream: nil)

  private func response(_ reason: String, interim: String = "") -> Interaction {
    var result = exchange(status: 401)
    result.response.head.reason = Array(reason.utf8)
    result.response.interim = [HTTPResponseHead(status: 103, reason: Array(interim.utf8))]
    return result
  }

  @Test func secretsInReasonPhrasesAreHiddenAndFound() throws {
    let original = response("Token \(Self.secret) rejected", interim: "try \(Self.secret)")
    let finds = try SecretScanner().finds(in: original, file: "f")
    #expect(finds.map(\.place) == ["response.interim", "response.reason"])
    let (hidden, count) = redaction.redacted(original)
    #expect(count == 2)
    let reason = String(decoding: hidden.response.head.reason, as: UTF8.self)
    #expect(reason.hasPrefix("Token REDACTED:github:") && reason.hasSuffix(" rejected"))
    #expect(
      String(decoding: hidden.response.interim[0].reason, as: UTF8.self).hasPrefix("try REDACTED:github:"))
    #expect(try SecretScanner().finds(in: hidden, file: "f") == [])
  }

  @Test func aCopyOfASecretInAReasonPhraseIsHidden() {
    var original = response("no such session Zx9-kQ4vTn7bLw2m")
    original.request.target = Array("/?access_token=Zx9-kQ4vTn7bLw2m".utf8)
    let hidden = redaction.redacted(original).0
    #expect(
      String(decoding: hidden.response.head.reason, as: UTF8.self).hasPrefix("no such session REDACTED:"))
  }

  @Test(arguments: ["Unauthorized", "", "No Token Given"]) func ordinaryPhrasesStay(_ reason: String) {
    let original = response(reason)
    #expect(redaction.redacted(original).0 == original)
  }
}
