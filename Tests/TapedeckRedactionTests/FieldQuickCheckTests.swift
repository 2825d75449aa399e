import TapedeckHTTP
import TestSupport
import Testing

@testable import TapedeckRedaction

/// The quick check of a field against the search that it may skip.
@Suite struct FieldQuickCheckTests {
  private static let names = [
    "Server", "Date", "ETag", "Content-Type", "X-Api-Key", "Authorization", "Set-Cookie", "Cookie",
    "X-Auth-Token",
    "WWW-Authenticate", "Location", "Range", "User-Agent", "X-Request-Id", "Link", "Password", "X-Compass",
    "Keyboard",
  ]
  private static let parts = [
    "nginx/1.22.1", "Thu, 26 Nov 2026 09:30:00 GMT", "application/json", "\"65f1-38\"", "Bearer ",
    "Basic dTpw",
    "ghp_a1B2c3D4e5F6g7H8i9J0", "{\"password\":\"hunter2\"}", "{\"a\":1}", "[", "https://u:pw@a.example/",
    "a=b; c=d",
    "password", "token", "=", ": ", " ", ", ", "hunter2", "0123456789abcdef0123456789abcdef", "bytes=0-1",
    "--user a:b",
    "7f000001-8ad8-4e1c-9c6d-2a5b8c1d9e0f", "ü", "%70%77", "\\",
  ]

  /// Tags are passed without the search, which finds nothing in them.
  @Test func `an entity tag of hexadecimal numbers has no finds`() {
    var luck = SeededGenerator(22)
    let search = SecretSearch(RedactionPolicy(RedactionRules(key: "k")))
    for _ in 0..<20_000 {
      let inner = (0..<Int.random(in: 0...23, using: &luck)).map { _ in
        "0123456789abcdefABCDEF--".utf8.randomElement(using: &luck) ?? 0
      }
      let tag = Array((Bool.random(using: &luck) ? "W/\"" : "\"").utf8) + inner + [UInt8(ascii: "\"")]
      #expect(tag.withUnsafeBufferPointer { TextScan.isEntityTag($0) })
      var scan = TextScan(tag[...], search, depth: 0)
      #expect(scan.run().isEmpty, "\(String(decoding: tag, as: UTF8.self))")
    }
    for text in ["", "\"", "W/", "W/\"", "\"0g\"", "0\"", "\"0", "\"0123456789abcdef01234567\""] {
      #expect(!Array(text.utf8).withUnsafeBufferPointer { TextScan.isEntityTag($0) }, "\(text)")
    }
  }

  @Test(arguments: [[], ["x-compass"]]) func `what it skips has no finds`(redact: [String]) throws {
    let rules = RedactionRules(key: "k", redact: try redact.map { try RedactionPattern($0) })
    let policy = RedactionPolicy(rules)
    var luck = SeededGenerator(21)
    var skipped = 0
    for _ in 0..<20_000 {
      var fields = HTTPFields()
      let value = (0..<Int.random(in: 0...4, using: &luck)).map { _ in
        Self.parts.randomElement(using: &luck) ?? ""
      }.joined()
      try fields.append(Self.names.randomElement(using: &luck) ?? "", value)
      let (quick, slow) = (SecretSearch(policy), SecretSearch(policy))
      var expected = fields
      _ = slow.change(&expected) { slow.finds(in: $0.value, named: $0.name, in: .header) }
      let redacted = quick.redacted(fields)
      #expect(redacted == expected && quick.count == slow.count && quick.known.isEmpty == slow.known.isEmpty)
      fields.withBytes(at: 0) { if !policy.mayHide($0, $1) { skipped += 1 } }
    }
    #expect(redact.isEmpty == (skipped > 1_000))
  }
}
