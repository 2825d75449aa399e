import TapedeckHTTP
import Testing

@testable import TapedeckProxy

private let plain = OriginRewriter(
  scheme: "https", authority: "api.example.com", host: "api.example.com", pathPrefix: "")
private let prefixed = OriginRewriter(scheme: "http", authority: "o:8000", host: "o", pathPrefix: "/v2")

@Test(
  arguments: [
    ("https://api.example.com/a?b#c", "http://127.0.0.1:1/a?b#c"),
    ("https://API.Example.com/a", "http://127.0.0.1:1/a"),
    ("https://api.example.com:443/a", "http://127.0.0.1:1/a"),
    ("https://api.example.com", "http://127.0.0.1:1"),
    ("https://api.example.com?x", "http://127.0.0.1:1?x"),
    ("https://api.example.com:8443/a", nil),
    ("https://api.example.com.evil/a", nil),
    ("http://api.example.com/a", nil),
    ("https://other.example.com/a", nil),
    ("/a/b", nil), ("//api.example.com/a", "http://127.0.0.1:1/a"), ("//other.example.com/a", nil),
    ("a", nil), ("", nil),
  ] as [(String, String?)])
func `locations that name the origin come to name us`(_ location: String, expected: String?) {
  #expect(plain.rewrittenLocation(location, proxy: "127.0.0.1:1") == expected)
}

@Test(
  arguments: [
    ("http://o:8000/v2/users", "http://p/users"), ("http://o:8000/v2", "http://p/"),
    ("http://o:8000/v2?x", "http://p?x"), ("http://o:8000/v20/users", nil), ("http://o:8000/login", nil),
    ("/v2/users/1", "/users/1"), ("/v2", "/"), ("/login", nil),
  ] as [(String, String?)])
func `a path prefix falls away`(_ location: String, expected: String?) {
  #expect(prefixed.rewrittenLocation(location, proxy: "p") == expected)
}

@Test(
  arguments: [
    ("a=b; Domain=example.com; Path=/", "a=b; Path=/"),
    ("a=b; domain=.API.example.com", "a=b"),
    ("a=b; Domain=other.com", nil),
    ("a=b; Domain=ample.com", nil),
    ("a=b; Secure; HttpOnly", "a=b; HttpOnly"),
    ("a=b; Secure; SameSite=None", "a=b"),
    ("a=b; SameSite=None", nil),
    ("a=secure; SameSite=Lax", nil),
    ("a=b; Path=/; HttpOnly", nil),
  ] as [(String, String?)])
func `cookies fit the proxy`(_ cookie: String, expected: String?) {
  #expect(plain.rewrittenCookie(cookie, proxy: "127.0.0.1:8080") == expected)
}

@Test func `a cookie's path loses the prefix`() {
  #expect(prefixed.rewrittenCookie("a=b; Path=/v2/x", proxy: "p") == "a=b; Path=/x")
  #expect(prefixed.rewrittenCookie("a=b; Path=/", proxy: "p") == nil)
}

@Test(arguments: [
  ("proxy.test:8080", "a=b; Domain=proxy.test"), ("localhost:8080", "a=b"), ("[::1]:8080", "a=b"),
  ("10.0.0.1", "a=b"),
])
func `a cookie's domain becomes the proxy's where it has one`(_ proxy: String, expected: String) {
  #expect(plain.rewrittenCookie("a=b; Domain=example.com", proxy: proxy) == expected)
}

@Test func `a client that did not say where it is gets a path`() {
  #expect(plain.rewrittenLocation("https://api.example.com/a?b", proxy: "") == "/a?b")
  #expect(plain.rewrittenLocation("https://api.example.com?b", proxy: "") == "/?b")
}

@Test func `other fields and their order stay`() throws {
  var fields = HTTPFields()
  try fields.append("X", "1")
  try fields.append("location", "https://api.example.com/x")
  try fields.append("Set-Cookie", "a=b; Secure")
  try fields.append("Set-Cookie", "c=d")
  #expect(plain.concerns(fields))
  let rewritten = plain.rewritten(fields, proxyAuthority: Array("me:1".utf8))
  let lines = rewritten.map { String(decoding: $0.name + [58] + $0.value, as: UTF8.self) }
  #expect(lines == ["X:1", "location:http://me:1/x", "Set-Cookie:a=b", "Set-Cookie:c=d"])
}
