import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

/// What stands for a secret in the tests' expectations: `‹value›` is its placeholder.
private func expanded(_ text: String, _ redaction: Redaction) -> String {
  var out = ""
  var rest = text[...]
  while let open = rest.firstIndex(of: "‹"), let close = rest[open...].firstIndex(of: "›") {
    out += rest[..<open] + mark(String(rest[rest.index(after: open)..<close]), redaction)
    rest = rest[rest.index(after: close)...]
  }
  return out + rest
}

private func mark(_ value: String, _ redaction: Redaction) -> String {
  guard let policy = redaction.policy else { return value }
  let bytes = Array(value.utf8)
  return String(decoding: SecretSearch(policy).placeholder(for: bytes[...]) ?? bytes, as: UTF8.self)
}

private let redaction = Redaction(upstream: "https://api.example.com")
private let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NSJ9.a1B2c3D4e5F6g7H8i9J0"

@Suite struct RedactionTests {
  @Test(arguments: [
    ("/users/1?page=2&per_page=100", "/users/1?page=2&per_page=100"),
    ("/?access_token=abc123&x=1", "/?access_token=‹abc123›&x=1"),
    ("/?a=1&password=p%40ss%20word&b=2", "/?a=1&password=‹p@ss word›&b=2"),
    ("/?password=p%40ss+word", "/?password=‹p@ss word›"),
    ("/?user%5Bpassword%5D=hunter2", "/?user%5Bpassword%5D=‹hunter2›"),
    ("/?key=AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY", "/?key=‹AIzaSyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY›"),
    ("/?key=colour", "/?key=colour"), ("/?code=404", "/?code=404"),
    ("/?code=SplxlOBeZQQYbYS6WxSbIA", "/?code=‹SplxlOBeZQQYbYS6WxSbIA›"),
    ("/?X-Amz-Credential=AKIAABCDEFGHIJ234567/20261121/s3&X-Amz-Date=20261121T000000Z", nil),
    ("/\(jwt)/x", "/‹\(jwt)›/x"),
    (
      "/a?next=https%3A%2F%2Fx.test%2F%3Ftoken%3Da1b2c3d4e5",
      "/a?next=https%3A%2F%2Fx.test%2F%3Ftoken%3D‹a1b2c3d4e5›"
    ),
    ("/a?u=https://me:s3cret@host/x", "/a?u=https://me:‹s3cret›@host/x"),
    ("/a;jsessionid=A1B2C3?x", "/a;jsessionid=‹A1B2C3›?x"), ("/?token=&password=", "/?token=&password="),
    ("/?nextPageToken=a1b2c3d4e5f6a7b8", "/?nextPageToken=a1b2c3d4e5f6a7b8"), ("*", "*"), ("/?", "/?"),
    ("/?&&=&", "/?&&=&"),
    ("/?\(jwt)", "/?‹\(jwt)›"),
    ("/?data=eyJwYXNzd29yZCI6Imh1bnRlcjIifQ", nil),
  ])
  func hidesInTargets(_ target: String, _ expected: String?) {
    let hidden = String(decoding: redaction.redacted(target: Array(target.utf8)), as: UTF8.self)
    if let expected { #expect(hidden == expanded(expected, redaction)) } else { #expect(hidden != target) }
    #expect(
      redaction.redacted(target: Array(hidden.utf8)) == Array(hidden.utf8), "hiding twice is hiding once")
  }

  @Test(arguments: [
    ("Authorization", "Bearer abcdef", "Bearer ‹abcdef›"), ("authorization", "abcdef", "‹abcdef›"),
    ("Authorization", "Token token=\"abc\", x=1", "Token ‹token=\"abc\", x=1›"),
    ("Proxy-Authorization", "Negotiate YII=", "Negotiate ‹YII=›"),
    (
      "Authorization", "AWS4-HMAC-SHA256 Credential=AKIA/x, Signature=ab",
      "AWS4-HMAC-SHA256 Credential=‹AKIA›"
    ),
    ("X-Api-Key", "k", "k"), ("X-Api-Key", "k1", "‹k1›"),
    (
      "Cookie", "sid=abc123; theme=dark; tracking=\"q1w2e3\"",
      "sid=‹abc123›; theme=dark; tracking=\"‹q1w2e3›\""
    ),
    (
      "Set-Cookie", "session=abc; Path=/; HttpOnly; Expires=Wed, 09 Jun 2027 10:18:14 GMT",
      "session=abc; Path=/; HttpOnly; Expires=Wed, 09 Jun 2027 10:18:14 GMT"
    ),
    ("Set-Cookie", "session=abc1; Path=/; Secure", "session=‹abc1›; Path=/; Secure"),
    ("Set-Cookie", "session=; Max-Age=0", "session=; Max-Age=0"),
    ("Set-Cookie", "id=s%3Aabc.def; Path=/", "id=‹s:abc.def›; Path=/"),
    (
      "WWW-Authenticate", "Digest realm=\"x\", nonce=\"dcd98b7102\", opaque=\"5ccc069\", qop=auth",
      "Digest realm=\"x\", nonce=\"‹dcd98b7102›\", opaque=\"‹5ccc069›\", qop=auth"
    ),
    ("WWW-Authenticate", "Basic realm=\"members\"", "Basic realm=\"members\""),
    ("Location", "/cb?code=SplxlOBeZQQYbYS6WxSbIA&state=x", "/cb?code=‹SplxlOBeZQQYbYS6WxSbIA›&state=x"),
    ("Location", "https://u:pw1@h/?access_token=t1#f", "https://u:‹pw1›@h/?access_token=‹t1›#f"),
    (
      "Link", "<https://h/x?page=2&token=a1b2c3d4e5>; rel=\"next\"",
      "<https://h/x?page=2&token=‹a1b2c3d4e5›>; rel=\"next\""
    ),
    ("Referer", "https://h/?api_key=z9", "https://h/?api_key=‹z9›"),
    ("ETag", "\"d41d8cd98f00b204e9800998ecf8427e\"", nil),
    ("X-Request-Id", "550e8400-e29b-41d4-a716-446655440000", nil), ("User-Agent", "curl/7.88.1", nil),
    ("Content-Type", "application/json", nil),
    ("Vary", "Authorization, Cookie", nil), ("Access-Control-Allow-Credentials", "true", nil),
    ("Date", "Sat, 21 Nov 2026 01:02:03 GMT", nil),
    ("X-Custom", "Bearer \(jwt)", "Bearer ‹\(jwt)›"), ("Idempotency-Key", "0123456789abcdef0123", nil),
    ("Strict-Transport-Security", "max-age=31536000; includeSubDomains", nil),
    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==", nil),
  ])
  func hidesInFields(_ name: String, _ value: String, _ expected: String?) {
    let request = HTTPRequest(.get, "/", fields: fields([(name, value)]))
    let hidden = redaction.redacted(request)
    #expect(
      String(decoding: hidden.fields[0].value, as: UTF8.self) == expected.map { expanded($0, redaction) }
        ?? value)
    #expect(redaction.redacted(hidden) == hidden, "hiding twice is hiding once")
  }

  @Test(arguments: [
    (#"{"password": "hunter2"}"#, #"{"password": "‹hunter2›"}"#),
    (
      #"{ "a" : [ { "Client_Secret":"x\u0041\/y" , "n":1e5 } ] }"#,
      #"{ "a" : [ { "Client_Secret":"‹xA/y›" , "n":1e5 } ] }"#
    ),
    (
      #"{"token_type":"bearer","expires_in":3600,"access_token":"abc123"}"#,
      #"{"token_type":"bearer","expires_in":3600,"access_token":"‹abc123›"}"#
    ),
    (#"{"password":null,"secret":true,"token":12345678,"api_key":""}"#, nil),
    (#"{"password":{"type":"string"}}"#, nil),
    (#"{"secrets":["a1b2c3d4e5","word"]}"#, #"{"secrets":["‹a1b2c3d4e5›","word"]}"#),
    (
      #"{"headers":{"Authorization":"Bearer t0k3n","Cookie":"a=b1c2d3e4"}}"#,
      #"{"headers":{"Authorization":"Bearer ‹t0k3n›","Cookie":"a=‹b1c2d3e4›"}}"#
    ),
    (#"{"name":"DB_PASSWORD","value":"pa55"}"#, #"{"name":"DB_PASSWORD","value":"‹pa55›"}"#),
    (#"[{"value":"pa55","key":"api-key"}]"#, #"[{"value":"‹pa55›","key":"api-key"}]"#),
    (#"{"name":"colour","value":"pa55"}"#, nil),
    (
      #"{"body":"{\"password\":\"hunter2\",\"n\":\"\\u00e9\"}"}"#,
      #"{"body":"{\"password\":\"‹hunter2›\",\"n\":\"\\u00e9\"}"}"#
    ),
    (#"{"url":"https://h/?sig=a1b2c3d4e5f6"}"#, #"{"url":"https://h/?sig=‹a1b2c3d4e5f6›"}"#),
    (#"{"note":"your token is \#(jwt)."}"#, #"{"note":"your token is ‹\#(jwt)›."}"#),
    (
      #"{"Key":"photos/2026/a1b2c3d4e5f6a7b8.png","NextContinuationToken":"1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J/wm36Hy4vbOwM="}"#,
      nil
    ),
    (#"{"data":"c2VjcmV0PWh1bnRlcjItYW5kLW1vcmUtb2YtaXQ="}"#, #"{"data":"\#("§")"}"#),
    (#"{"password":"REDACTED:secret:01234567"}"#, nil),
    (#"{"a":1}{"password":"x1"}"#, #"{"a":1}{"password":"‹x1›"}"#),
    (
      #"{"name":"password","value":"x1"}{"name":"password","value":"x2","n":[1,"#,
      #"{"name":"password","value":"‹x1›"}{"name":"password","value":"‹x2›","n":[1,"#
    ),
    (
      #"{"password":["x1","x2"]}{"password":["x3"],"n":"cut he"#,
      #"{"password":["‹x1›","‹x2›"]}{"password":["‹x3›"],"n":"cut he"#
    ),
    (#"{"name":"password","value":"x1"}]{"#, nil),
    (
      #"{"id":"550e8400-e29b-41d4-a716-446655440000","hash":"d41d8cd98f00b204e9800998ecf8427e","author":"me","tokens":["two","words"]}"#,
      nil
    ),
    (
      #"{"emoji":"\ud83d\ude00","pwd":"\ud83d\ude00\ud83d\ude00"}"#, #"{"emoji":"\ud83d\ude00","pwd":"‹😀😀›"}"#
    ),
  ])
  func hidesInJSON(_ text: String, _ expected: String?) throws {
    let hidden = json(text)
    if expected?.contains("§") == true {
      #expect(hidden != text)
    } else {
      #expect(hidden == expected.map { expanded($0, redaction) } ?? text)
    }
    #expect(json(hidden) == hidden, "hiding twice is hiding once")
    #expect(
      (try? JSONValue(parsing: Array(hidden.utf8))) != nil
        || (try? JSONValue(parsing: Array(text.utf8))) == nil)
  }

  @Test func `rules for places hold in a stream whose last document is cut`() throws {
    let rules = RedactionRules(key: "a", redact: [try RedactionPattern("$.user.ssn")])
    let redaction = Redaction(rules)
    let body = #"{"user":{"ssn":"12-3"}}{"user":{"ssn":"45-6","name":"Jo"#
    let hidden = redaction.redacted(
      exchange(answers: [("Content-Type", "application/json")], body: Array(body.utf8)))
    let expected = #"{"user":{"ssn":"‹12-3›"}}{"user":{"ssn":"‹45-6›","name":"Jo"#
    #expect(hidden.0.response.body == .bytes(Array(expanded(expected, redaction).utf8)))
  }

  private func json(_ text: String) -> String { answer(text, type: "application/json") }

  private func answer(_ text: String, type: String) -> String {
    let original = exchange(answers: [("Content-Type", type)], body: Array(text.utf8))
    guard case .bytes(let body) = redaction.redacted(original).0.response.body else { return "" }
    return String(decoding: body, as: UTF8.self)
  }

  @Test(arguments: [
    ("password=hunter2 and so on", "password=‹hunter2› and so on"),
    ("The password: at least eight characters", nil),
    ("api_key: \"z9y8\"", "api_key: \"‹z9y8›\""), ("export API_KEY='a1-b2'\n", "export API_KEY='‹a1-b2›'\n"),
    (
      "<Credentials><SecretAccessKey>wJalr/XUtn</SecretAccessKey><Key>a/b</Key></Credentials>",
      "<Credentials><SecretAccessKey>‹wJalr/XUtn›</SecretAccessKey><Key>a/b</Key></Credentials>"
    ),
    (
      "<input type=\"hidden\" name=\"csrf_token\" value=\"a1b2c3d4e5\">",
      "<input type=\"hidden\" name=\"csrf_token\" value=\"‹a1b2c3d4e5›\">"
    ),
    ("<meta name='csrf-token' content='a1b2c3d4e5'/>", "<meta name='csrf-token' content='‹a1b2c3d4e5›'/>"),
    ("log: {\\\"password\\\":\\\"hunter2\\\"}", "log: {\\\"password\\\":\\\"‹hunter2›\\\"}"),
    (
      "curl -H 'Authorization: Bearer abc123' https://u:p4ss@h/",
      "curl -H 'Authorization: Bearer ‹abc123›' https://u:‹p4ss›@h/"
    ),
    (
      "Server=db;User Id=sa;Password=Str0ng;Encrypt=yes", "Server=db;User Id=sa;Password=‹Str0ng›;Encrypt=yes"
    ),
    (
      "git clone https://ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8@github.com/x",
      "git clone https://‹ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8›@github.com/x"
    ),
    ("a == b, token => c, if (password == x)", nil),
    ("time 12:30, ratio 3:1, https://example.com/a?b=c", nil),
    (
      "data: {\"delta\": \"hello\"}\n\ndata: {\"api_key\": \"z9y8x7\"}\n",
      "data: {\"delta\": \"hello\"}\n\ndata: {\"api_key\": \"‹z9y8x7›\"}\n"
    ),
    (
      "x\n-----BEGIN EC PRIVATE KEY-----\nMHcCAQ\n-----END EC PRIVATE KEY-----\ny",
      "x\n‹-----BEGIN EC PRIVATE KEY-----\nMHcCAQ\n-----END EC PRIVATE KEY-----›\ny"
    ),
    ("mailto:me@example.com http://h/@user", nil), ("=:<=:<--==::", nil), ("\"password\"", nil),
    ("password=", nil), ("password=\"", nil),
  ])
  func hidesInTexts(_ text: String, _ expected: String?) {
    let hidden = answer(text, type: "text/plain")
    #expect(hidden == expected.map { expanded($0, redaction) } ?? text)
    #expect(answer(hidden, type: "text/plain") == hidden, "hiding twice is hiding once")
  }
}
