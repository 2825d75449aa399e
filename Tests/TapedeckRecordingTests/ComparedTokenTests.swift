import TapedeckHTTP
import TapedeckRedaction
import Testing

@testable import TapedeckRecording

/// A token of another login has other times, another `jti` and another signature, and still matches.
@Suite struct ComparedTokenTests {
  private static func token(_ subject: String, iat: Int, signature: String) -> String {
    func encoded(_ text: String) -> String {
      String(decoding: Base64.encode(Array(text.utf8), isURL: true, isPadded: false), as: UTF8.self)
    }
    let claims =
      #"{"sub":"\#(subject)","iat":\#(iat),"exp":\#(iat + 60),"nbf":\#(iat),"jti":"id-\#(iat)"}"#
    return encoded(#"{"alg":"RS256"}"#) + "." + encoded(claims) + "." + signature
  }

  private static func request(_ place: String, _ token: String) throws -> HTTPRequest {
    var fields = HTTPFields()
    switch place {
    case "json":
      return HTTPRequest(.post, "/x", body: Array(#"{"a":[{"subject_token":"\#(token)"}]}"#.utf8))
    case "form":
      try fields.append(
        name: Array("Content-Type".utf8)[...], value: Array("application/x-www-form-urlencoded".utf8)[...])
      return HTTPRequest(.post, "/x", fields: fields, body: Array("a=b&client_assertion=\(token)".utf8))
    default: return HTTPRequest(.get, "/logout?id_token_hint=\(token)")
    }
  }

  @Test(arguments: ["json", "form", "query"], [false, true])
  func tokensCompareWithoutWhatEachLoginMakesAnew(_ place: String, isOn: Bool) throws {
    let redaction = isOn ? Redaction(upstream: "https://id.example.com") : .off
    let matcher = RequestMatcher(redaction: redaction)
    let signature = "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0xyz"
    func key(_ subject: String, _ iat: Int, _ signature: String) throws -> MatchKey {
      matcher.key(for: try Self.request(place, Self.token(subject, iat: iat, signature: signature)))
    }
    let first = try key("ada", 1_700_000_000, signature)
    #expect(try key("ada", 1_700_009_999, String(signature.reversed())) == first)
    #expect(try key("bob", 1_700_000_000, signature) != first)
  }

  @Test(arguments: ["json", "form", "query"])
  func aClientThatSendsThePlaceholderOnMatches(_ place: String) throws {
    let redaction = Redaction(upstream: "https://id.example.com")
    let token = Self.token(
      "ada", iat: 1_700_000_000, signature: "a1B2c3D4e5F6g7H8i9J0a1B2c3D4e5F6g7H8i9J0xyz")
    let placeholder = redaction.redacted(HTTPRequest(.post, "/x", body: Array(token.utf8))).body
    #expect(placeholder != Array(token.utf8))
    let matcher = RequestMatcher(redaction: redaction)
    #expect(
      try matcher.key(for: Self.request(place, token))
        == matcher.key(for: Self.request(place, String(decoding: placeholder, as: UTF8.self))))
  }

  @Test func twoSignedRequestsOfOneClientHaveOneIdentity() throws {
    func identity(_ nonce: String, _ token: String) throws -> ClientIdentity {
      var request = HTTPRequest(.get, "/x")
      let value =
        #"OAuth oauth_consumer_key="dpf43f3p2l4k3l03", oauth_token="\#(token)", oauth_nonce="\#(nonce)", "#
        + #"oauth_signature="tR3%2BTy81lMeYAr%2FFid0kMTYa%2FWM%3D\#(nonce)""#
      try request.fields.append(name: Array("Authorization".utf8)[...], value: Array(value.utf8)[...])
      return ClientIdentity(request, varying: [], Redaction(upstream: "https://api.example.com"))
    }
    #expect(try identity("a1", "hh5s93j4hdidpola") == identity("b2", "hh5s93j4hdidpola"))
    #expect(try identity("a1", "hh5s93j4hdidpola") != identity("a1", "kkk9d7dh3k39sjv7"))
  }
}
