import Testing

@testable import TapedeckUpstream

@Suite struct OriginTests {
  @Test(arguments: [
    ("http://example.com", "example.com", 80, "example.com", "", "http://example.com"),
    ("HTTPS://Example.COM/", "example.com", 443, "example.com", "", "https://example.com"),
    ("http://a:80/", "a", 80, "a", "", "http://a"),
    ("http://a:/x", "a", 80, "a", "/x", "http://a/x"),
    ("https://a:80/v2//", "a", 80, "a:80", "/v2", "https://a:80/v2"),
    ("http://127.0.0.1:8080/a/b/", "127.0.0.1", 8080, "127.0.0.1:8080", "/a/b", "http://127.0.0.1:8080/a/b"),
    ("http://[::1]:9", "::1", 9, "[::1]:9", "", "http://[::1]:9"),
    ("https://[2001:DB8::1]", "2001:db8::1", 443, "[2001:db8::1]", "", "https://[2001:db8::1]"),
  ])
  func readsURLs(
    url: String, host: String, port: Int, authority: String, prefix: String, description: String
  ) throws {
    let origin = try UpstreamOrigin(url)
    #expect(origin.host == host)
    #expect(Int(origin.port) == port)
    #expect(origin.authority == authority)
    #expect(origin.pathPrefix == prefix)
    #expect(origin.description == description)
  }

  @Test(arguments: [
    ("", UpstreamURLError.notHTTP("")), ("example.com", .notHTTP("example.com")),
    ("ftp://a", .notHTTP("ftp://a")), ("ftp://u:secret@a?k=secret", .notHTTP("a")),
    ("http://", .notHTTP("http://")),
    ("http:///x", .badHost("")), ("http://u:p@a", .userInformation), ("http://u@a/x", .userInformation),
    ("http://a?x", .queryOrFragment), ("http://a/#x", .queryOrFragment), ("http://a b", .badHost("a b")),
    ("http://a:0", .badPort("0")), ("http://a:65536", .badPort("65536")), ("http://a:+5", .badPort("+5")),
    ("http://a:1:2", .badPort("1:2")), ("http://[1]", .badHost("[1]")), ("http://[::1]x", .badHost("x")),
    ("http://a/b c", .badPath("/b c")), ("http://a/b\r\nX: y", .badPath("/b\r\nX: y")),
    ("http://a\r\nX: y", .badHost("a\r\nX: y")), ("http://é", .badHost("é")),
  ])
  func refusesTheRest(url: String, error: UpstreamURLError) {
    #expect(throws: error) { try UpstreamOrigin(url) }
    #expect(!error.description.contains("secret"))
  }
}
