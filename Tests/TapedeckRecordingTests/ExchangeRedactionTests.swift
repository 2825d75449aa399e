import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

private let redaction = Redaction(upstream: "https://api.example.com")
private let secret = "Zx9-kQ4vTn7bLw2m"

private func placeholder(_ value: String) -> String {
  guard let policy = redaction.policy else { return "" }
  let bytes = Array(value.utf8)
  return String(decoding: SecretSearch(policy).placeholder(for: bytes[...]) ?? [], as: UTF8.self)
}

private func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

private func body(_ interaction: Interaction) -> String {
  guard case .bytes(let bytes) = interaction.response.body else { return "" }
  return text(bytes)
}

@Suite struct ExchangeRedactionTests {
  @Test func oneSecretHasOnePlaceholderEverywhere() {
    let original = exchange(
      "POST", "/login?access_token=\(secret)",
      headers: [
        ("Authorization", "Bearer \(secret)"), ("X-Api-Key", secret), ("Cookie", "sid=\(secret)"),
        ("Content-Type", "application/x-www-form-urlencoded"),
      ],
      sends: Array("password=\(secret)".utf8),
      answers: [("Content-Type", "application/json"), ("Set-Cookie", "sid=\(secret); Path=/")],
      body: Array(#"{"token":"\#(secret)","text":"password=\#(secret)"}"#.utf8))
    let (hidden, count) = redaction.redacted(original)
    let mark = placeholder(secret)
    #expect(hidden.request.targetText == "/login?access_token=\(mark)")
    #expect(
      hidden.request.fields.map { text($0.value) } == [
        "Bearer \(mark)", mark, "sid=\(mark)", "application/x-www-form-urlencoded",
      ])
    #expect(text(hidden.request.body) == "password=\(mark)")
    #expect(hidden.response.head.fields.text("set-cookie") == "sid=\(mark); Path=/")
    #expect(body(hidden) == #"{"token":"\#(mark)","text":"password=\#(mark)"}"#)
    #expect(count == 8)
    #expect(!mark.contains(secret))
  }

  @Test func findsFurtherCopiesInEveryEncoding() {
    let hard = #"p@ss"w\rd/9+ü"#
    let encoded = text(ASCII.hexDigits(Array(hard.utf8)))
    let base64 = Base64.encode(Array("xyz:\(hard)!".utf8))
    let original = exchange(
      "POST", "/\(text(DecodedText.percentEncoded(Array(hard.utf8))))/x",
      headers: [("Content-Type", "application/json"), ("X-Note", "it was \(encoded)")],
      sends: Array(#"{"password":"p@ss\"w\\rd\/9+ü"}"#.utf8),
      answers: [("Content-Type", "text/plain"), ("X-Echo", "<\(hard)>")],
      body: Array("plain \(hard), hex \(encoded), \(encoded.uppercased()), base64 \(base64)".utf8))
    let (hidden, _) = redaction.redacted(original)
    let mark = placeholder(hard)
    let hex = text(ASCII.hexDigits(Array(mark.utf8)))
    #expect(hidden.request.targetText == "/\(mark)/x")
    #expect(hidden.request.fields.text("x-note") == "it was \(hex)")
    #expect(text(hidden.request.body) == #"{"password":"\#(mark)"}"#)
    #expect(hidden.response.head.fields.text("x-echo") == "<\(mark)>")
    #expect(
      body(hidden)
        == "plain \(mark), hex \(hex), \(hex.uppercased()), base64 \(Base64.encode(Array("xyz:\(mark)!".utf8)))"
    )
  }

  @Test func basicCredentialsGoWholeAndTheirPasswordEverywhere() {
    let credentials = Base64.encode(Array("me:\(secret)".utf8))
    let original = exchange(
      "GET", "/\(secret)", headers: [("Authorization", "Basic \(credentials)")],
      body: Array("hello \(secret)".utf8))
    let (hidden, _) = redaction.redacted(original)
    let mark = placeholder(secret)
    #expect(hidden.request.targetText == "/\(mark)")
    #expect(body(hidden) == "hello \(mark)")
    #expect(hidden.request.fields.text("authorization")?.hasPrefix("Basic REDACTED:secret:") == true)
    // A client that was given the placeholder sends that as its password.
    var again = original.request
    again.fields = fields([("Authorization", "Basic \(Base64.encode(Array("me:\(mark)".utf8)))")])
    #expect(redaction.redacted(again).fields == hidden.request.fields)
  }

  @Test func commonWordsAreNotChasedThroughAnExchange() {
    let original = exchange(
      "POST", "/postgres/1", headers: [("Content-Type", "application/json")],
      sends: Array(#"{"password":"password","user":"postgres","pwd":"postgres"}"#.utf8),
      body: Array("password of postgres".utf8))
    let (hidden, count) = redaction.redacted(original)
    #expect(hidden.request.targetText == "/postgres/1")
    #expect(body(hidden) == "password of postgres")
    #expect(count == 2)
  }

  @Test func multipartPartsAreJudgedByTheirNames() {
    let content = """
      --b\r\nContent-Disposition: form-data; name="password"\r\n\r\nhunter2\r\n\
      --b\r\nContent-Disposition: form-data; name="note"\r\n\r\nhunter2\r\n\
      --b\r\nContent-Disposition: form-data; name="file"; filename="k.json"\r\nContent-Type: application/json\r\n\r\n\
      {"api_key":"k1"}\r\n--b\r\nContent-Disposition: form-data; name="blob"\r\n\r\n\u{1}password=x1\r\n--b--\r\n
      """
    let original = exchange(
      "POST", "/", headers: [("Content-Type", "multipart/form-data; boundary=b"), ("Content-Length", "999")],
      sends: Array(content.utf8))
    let (hidden, _) = redaction.redacted(original)
    let expected = content.replacing(
      "\r\n\r\nhunter2\r\n--b\r\nContent-Disposition: form-data; name=\"note",
      with: "\r\n\r\n\(placeholder("hunter2"))\r\n--b\r\nContent-Disposition: form-data; name=\"note"
    )
    .replacing(#""k1""#, with: "\"\(placeholder("k1"))\"")
    #expect(text(hidden.request.body) == expected)
    #expect(hidden.request.fields.text("content-length") == String(expected.utf8.count))
  }

  @Test func chunksAreCutWhereTheyWere() {
    let content = Array(#"{"id":1,"password":"hunter2!","n":2}"#.utf8)
    for first in 1..<content.count {
      let original = exchange(
        answers: [("Content-Type", "application/json"), ("ETag", "\"1\""), ("Content-MD5", "x=")],
        body: content,
        chunks: [first, content.count - first])
      let (hidden, _) = redaction.redacted(original)
      let expected = #"{"id":1,"password":"\#(placeholder("hunter2!"))","n":2}"#
      #expect(body(hidden) == expected)
      #expect(hidden.response.chunkSizes?.reduce(0, +) == expected.utf8.count)
      #expect(hidden.response.chunkSizes?.allSatisfy { $0 > 0 } == true)
      if first <= 20 { #expect(hidden.response.chunkSizes?.first == first) }
      if first >= 28 { #expect(hidden.response.chunkSizes?.last == content.count - first) }
      #expect(hidden.response.head.fields.contains("etag"))
      #expect(!hidden.response.head.fields.contains("content-md5"), "a sum over other bytes")
    }
  }

  @Test func chunkTimesGoWithTheirChunks() {
    var original = exchange(
      answers: [("Content-Type", "application/json")], body: Array(#"{"password":"hunter2!"}"#.utf8),
      chunks: [15, 2, 2, 4])
    original.volatile.chunkOffsetsMilliseconds = [1, 2, 3, 4]
    let (hidden, _) = redaction.redacted(original)
    #expect(hidden.response.chunkSizes?.count == hidden.volatile.chunkOffsetsMilliseconds?.count)
    #expect(hidden.volatile.chunkOffsetsMilliseconds?.first == 1)
  }

  @Test func whatIsNoTextIsLeftAlone() {
    let binary: [UInt8] = [0x89, 0x50, 0x00] + Array("password=hunter2".utf8)
    let original = exchange(answers: [("Content-Type", "image/png")], body: binary)
    #expect(redaction.redacted(original).0 == original)
    #expect(redaction.redacted(original).count == 0)
  }

  @Test func anExchangeWithoutSecretsIsLeftByteForByte() {
    let original = exchange(
      "PUT",
      "/things/550e8400-e29b-41d4-a716-446655440000?page=2&sort=-created&next_page_token=a1b2c3d4e5f6a7b8",
      headers: [
        ("Host", "api.example.com"), ("Accept", "*/*"),
        ("If-None-Match", "\"d41d8cd98f00b204e9800998ecf8427e\""),
        ("Content-Type", "application/json"), ("Idempotency-Key", "550e8400-e29b-41d4-a716-446655440000"),
      ],
      sends: Array(
        #"{"id": 1.50, "author": "\u00e9", "tags": ["a", "b"], "hash": "9e107d9d372bb6826bd81d3542a419d6"}"#
          .utf8),
      answers: [
        ("Content-Type", "application/json"), ("ETag", "\"9e107d9d372bb6826bd81d3542a419d6\""),
        ("Vary", "Authorization"),
        ("X-Amz-Request-Id", "4442587FB7D0A2F9"), ("Link", "<https://h/x?page=3>; rel=\"next\""),
      ], body: Array(#"{"nextToken": "eyJvZmZzZXQiOjEwMH0", "items": [{"Key": "a/b.png", "Size": 12}]}"#.utf8)
    )
    #expect(redaction.redacted(original).0 == original)
  }

  @Test(arguments: [
    "note: https://hooks.slack.com/services/T012345678/B012345678/a1B2c3D4e5F6g7H8i9J0k1L2",
    "next=https%3A%2F%2Fh%2F%3Fpassword%3Da1B2c3D4e5F6g7H8i9J0k1L2",
    "%70%61%73%73%77%6F%72%64=x token%3Da1B2c3D4e5F6g7H8i9J0k1L2",
    "Authorization: Digest username=\"me\", response=\"a1B2c3D4e5F6g7H8i9J0k1L2\"",
    "<Authorization>Token a1B2c3D4e5F6g7H8i9J0k1L2</Authorization>",
    "password: ab&a1B2c3D4e5F6g7H8i9J0k1L2",
    "private-token: ab-a1B2c3D4e5F6g7H8i9J0k1L2",
  ])
  func aTextKeepsNothingOfASecret(_ content: String) {
    let original = exchange(body: Array(content.utf8))
    let (hidden, count) = redaction.redacted(original)
    #expect(count > 0)
    #expect(!body(hidden).contains("a1B2c3D4e5F6g7H8i9J0k1L2"), "\(body(hidden))")
    #expect(redaction.redacted(hidden).0 == hidden)
  }

  @Test func aSegmentOfAPathMayHoldAnEncodedSlash() {
    let secret = "1cwmtGUh5qCh/l9DEyQeKKiqn+Tz5="
    let original = exchange(
      "GET", "/x/1cwmtGUh5qCh%2Fl9DEyQeKKiqn+Tz5=/end", headers: [("X-Api-Key", secret)])
    #expect(redaction.redacted(original).0.request.targetText == "/x/\(placeholder(secret))/end")
  }

  @Test func aNumberThatOnlyKeepsARequestFromHappeningTwiceStays() {
    let original = exchange(
      "POST", headers: [("Content-Type", "application/json")],
      sends: Array(#"{"ClientRequestToken": "2075162c-6f8a-47ac-9d6c-65ac162ececd"}"#.utf8))
    #expect(redaction.redacted(original).0 == original)
  }

  @Test func aFilesPathIsNoKey() {
    let original = exchange("GET", "/get?key=photos/2026/451225/img_6784.jpeg")
    #expect(redaction.redacted(original).0 == original)
  }

  @Test func rulesOfTheUserAddAndTakeAway() throws {
    let rules = RedactionRules(
      key: "k",
      redact: [
        try RedactionPattern("x-internal-*"), try RedactionPattern("account"),
        try RedactionPattern("text:ACME-*"),
      ],
      keep: ["session_id", "github"])
    let mine = Redaction(rules)
    let original = exchange(
      "POST", "/ACME-12/x?account=77&session_id=abcdef123456",
      headers: [("X-Internal-User", "me"), ("Content-Type", "application/json"), ("Note", "see ACME-99.")],
      sends: Array(
        #"{"account": 42, "nested": {"Account": {"iban": "DE1", "open": true}}, "token": "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}"#
          .utf8))
    let hidden = mine.redacted(original).0.request
    #expect(!hidden.targetText.contains("ACME-12"))
    #expect(!hidden.targetText.contains("77"))
    #expect(hidden.targetText.contains("session_id=abcdef123456"))
    #expect(hidden.fields.text("x-internal-user")?.hasPrefix("REDACTED:secret:") == true)
    #expect(hidden.fields.text("note")?.hasPrefix("see REDACTED:secret:") == true)
    let json = try JSONValue(parsing: hidden.body)
    #expect(json["account"]?.text?.hasPrefix("REDACTED:") == true)
    #expect(json["nested"]?["Account"]?["iban"]?.text?.hasPrefix("REDACTED:") == true)
    #expect(json["nested"]?["Account"]?["open"]?.bool == true)
    #expect(json["token"]?.text?.hasPrefix("ghp_") == true)
    #expect(mine.redacted(hidden) == hidden)
  }

  @Test(arguments: ["*", "text:*", "?", "", "text:", String(repeating: "x", count: 201)])
  func refusesPatternsThatHideEverything(_ text: String) {
    #expect(throws: RedactionPatternError.self) { try RedactionPattern(text) }
  }

  @Test func keysDependOnTheHostAlone() {
    let key = RedactionRules.key(upstream: "https://API.example.com")
    for same in ["http://api.example.com", "http://api.example.com:8080/v2", "https://api.example.com/x?y"] {
      #expect(RedactionRules.key(upstream: same) == key)
    }
    #expect(RedactionRules.key(upstream: "https://example.com") != key)
    #expect(RedactionRules.key(upstream: nil) != key)
    #expect(key.count == 32)
  }

  @Test func hidesNothingWhenOff() {
    let original = exchange("GET", "/?password=x1")
    #expect(Redaction.off.redacted(original).0 == original)
    #expect(Redaction.off.comparable(original.request) == original.request)
  }
}
