import TapedeckHTTP
import Testing

@testable import TapedeckProxy

/// The address of the origin in texts: whole, byte by byte, and cut at every boundary.
@Suite struct OriginTextRewriterTests {
  private static let plain = OriginRewriter(
    scheme: "https", authority: "api.example.com", host: "api.example.com", pathPrefix: "")
  private static let prefixed = OriginRewriter(
    scheme: "http", authority: "o:8000", host: "o", pathPrefix: "/v2")

  private static func rewritten(_ pieces: [ArraySlice<UInt8>], _ origin: OriginRewriter) -> String {
    var rewriter = OriginTextRewriter(origin, proxyAuthority: Array("p:1".utf8))
    var out: [UInt8] = []
    for piece in pieces { out += rewriter.rewrite(piece) }
    return String(decoding: out + rewriter.finish(), as: UTF8.self)
  }

  private static func expect(_ text: String, _ expected: String, _ origin: OriginRewriter) {
    let bytes = Array(text.utf8)
    #expect(rewritten([bytes[...]], origin) == expected)
    #expect(rewritten(bytes.indices.map { bytes[$0...$0] }, origin) == expected, "byte by byte")
    for cut in bytes.indices {
      #expect(rewritten([bytes[..<cut], bytes[cut...]], origin) == expected, "cut at \(cut)")
    }
  }

  @Test(
    arguments: [
      (#"{"next": "https://api.example.com/users?page=2"}"#, #"{"next": "http://p:1/users?page=2"}"#),
      (#"{"next": "https:\/\/api.example.com\/users"}"#, #"{"next": "http:\/\/p:1\/users"}"#),
      ("HTTPS://API.example.COM:443/a", "http://p:1/a"),
      ("https://api.example.com", "http://p:1"),
      ("see https://api.example.com. Or", "see http://p:1. Or"),
      ("https://api.example.com:4430/", "https://api.example.com:4430/"),
      ("https://api.example.com:8443/", "https://api.example.com:8443/"),
      ("https://api.example.com.evil/", "https://api.example.com.evil/"),
      ("https://api.example.com@evil/", "https://api.example.com@evil/"),
      ("https://api.example.community/", "https://api.example.community/"),
      ("http://api.example.com/", "http://api.example.com/"),
      ("hhttps://api.example.com:", "hhttp://p:1:"),
      ("https:https://api.example.com/a,https://api.example.com/b", "https:http://p:1/a,http://p:1/b"),
      ("https://u:p@api.example.com/a", "http://u:p@p:1/a"),
      (#""https:\/\/u@api.example.com:443\/a""#, #""http:\/\/u@p:1\/a""#),
      ("https://u@other.example.com/a", "https://u@other.example.com/a"),
      ("https://other.example.com https://api.example.com", "https://other.example.com http://p:1"),
      ("a: b, https: c, http", "a: b, https: c, http"), ("", ""),
    ] as [(String, String)])
  func `an address becomes ours, and nothing that only looks like it`(_ text: String, _ expected: String) {
    Self.expect(text, expected, Self.plain)
  }

  @Test(
    arguments: [
      ("<a href='http://o:8000/v2/users'>", "<a href='http://p:1/users'>"),
      (#""http:\/\/o:8000\/v2\/users""#, #""http:\/\/p:1\/users""#),
      ("http://o:8000/v2?x", "http://p:1?x"), ("http://o:8000/v2", "http://p:1"),
      ("http://o:8000/v20/users", "http://o:8000/v20/users"),
      ("http://o:8000/login", "http://o:8000/login"), ("http://o:8000/v", "http://o:8000/v"),
    ] as [(String, String)])
  func `a path prefix falls away with it`(_ text: String, _ expected: String) {
    Self.expect(text, expected, Self.prefixed)
  }

  @Test(arguments: [
    "data: {\"a\": 1}\n\n", "see \"https://api.example.com/\"\n\n", "https://api.example.com\"}\n\n",
  ])
  func `an event is not held back`(_ event: String) {
    var rewriter = OriginTextRewriter(Self.plain, proxyAuthority: Array("p:1".utf8))
    #expect(rewriter.rewrite(Array(event.utf8)).suffix(2) == Array("\n\n".utf8)[...])
    #expect(rewriter.finish().isEmpty)
  }
}
