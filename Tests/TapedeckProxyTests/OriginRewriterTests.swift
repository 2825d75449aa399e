import TapedeckHTTP
import TapedeckRecording
import Testing

@testable import TapedeckProxy

private let plain = OriginRewriter(
  scheme: "https", authority: "api.example.com", host: "api.example.com", pathPrefix: "")
private let prefixed = OriginRewriter(scheme: "http", authority: "o:8000", host: "o", pathPrefix: "/v2")

@Test(
  arguments: [
    ("https://api.example.com/a?b#c", "http://127.0.0.1:1/a?b#c"),
    ("https://API.Example.com/a", "http://127.0.0.1:1/a"),
    ("HTTPS://api.example.com/a", "http://127.0.0.1:1/a"),
    ("https://api.example.com:443/a", "http://127.0.0.1:1/a"),
    ("https://api.example.com:/a", "http://127.0.0.1:1/a"),
    ("https://api.example.com", "http://127.0.0.1:1"),
    ("https://api.example.com?x", "http://127.0.0.1:1?x"),
    ("https://api.example.com:8443/a", nil),
    ("https://api.example.com:4430/a", nil),
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
    ("https://user:pass@api.example.com/next", "http://user:pass@p:1/next"),
    ("https://user@api.example.com:443", "http://user@p:1"),
    ("//user:pass@api.example.com/next", "http://user:pass@p:1/next"),
    ("https://evil.com@api.example.com/", "http://evil.com@p:1/"),
    ("https://a@b@api.example.com/", "http://a@b@p:1/"),
    ("https://api.example.com@evil.com/", nil), ("https://api.example.com:443@evil.com/", nil),
    ("https://evil.com/@api.example.com/", nil), ("https://evil.com?@api.example.com/", nil),
  ] as [(String, String?)])
func `a location with user information leads to us and keeps it`(_ location: String, expected: String?) {
  #expect(plain.rewrittenLocation(location, proxy: "p:1") == expected)
}

@Test(
  arguments: [
    ("[::1]", "http://[::1]/a", "http://p/a"), ("[::1]", "http://[::1]:80/a", "http://p/a"),
    ("[::1]", "http://[::1]:81/a", nil), ("[fe80::a]:81", "http://[FE80::A]:81/a", "http://p/a"),
    ("[fe80::a]:81", "http://[fe80::a]/a", nil),
  ] as [(String, String, String?)])
func `an IPv6 origin is known with its default port spelled out`(
  _ authority: String, _ location: String, expected: String?
) {
  let host = String(authority.dropFirst().prefix { $0 != "]" })
  let origin = OriginRewriter(scheme: "http", authority: authority, host: host, pathPrefix: "")
  #expect(origin.rewrittenLocation(location, proxy: "p") == expected)
}

@Test(
  arguments: [
    ("http://o:8000/v2/users", "http://p/users"), ("http://o:8000/v2", "http://p/"),
    ("http://o:8000/v2?x", "http://p?x"), ("http://o:8000/v20/users", nil), ("http://o:8000/login", nil),
    ("/v2/users/1", "/users/1"), ("/v2", "/"), ("/login", nil), ("http://o/v2/users", nil),
    ("http://u:p@o:8000/v2/users", "http://u:p@p/users"),
  ] as [(String, String?)])
func `a path prefix falls away`(_ location: String, expected: String?) {
  #expect(prefixed.rewrittenLocation(location, proxy: "p") == expected)
}

@Test(
  arguments: [
    (
      #"<https://api.example.com/u?page=2>; rel="next", <https://api.example.com/u?page=9>; rel="last""#,
      #"<http://p/u?page=2>; rel="next", <http://p/u?page=9>; rel="last""#
    ),
    (#"<//api.example.com/u>; rel=next"#, "<http://p/u>; rel=next"),
    (#"<https://u:p@api.example.com/u>; rel=next"#, "<http://u:p@p/u>; rel=next"),
    ("</u?page=2>; rel=next", nil), ("<https://other.com/a,b>; rel=next", nil), ("<", nil), ("<>", nil),
    ("<https://api.example.com/u", nil),
  ] as [(String, String?)])
func `links are rewritten without any flag`(_ value: String, expected: String?) {
  #expect(plain.rewrittenLinks(value, proxy: "p") == expected)
}

@Test func `a relative link loses the upstream's path prefix`() {
  #expect(prefixed.rewrittenLinks("</v2/u?page=2>; rel=next", proxy: "p") == "</u?page=2>; rel=next")
}

@Test(
  arguments: [
    ("5; url=https://api.example.com/a", "5; url=http://p/a"),
    ("0;URL='https://api.example.com/a'", "0;URL='http://p/a'"),
    (#"0; url="https://api.example.com/a"; x"#, #"0; url="http://p/a"; x"#),
    ("5", nil), ("5; url=/a", nil), ("5; url=", nil), ("5; url='", nil),
  ] as [(String, String?)])
func `a refresh leads to us`(_ value: String, expected: String?) {
  #expect(plain.rewrittenRefresh(value, proxy: "p") == expected)
}

@Test(
  arguments: [
    (
      #"Bearer realm="https://api.example.com/token",service="registry""#,
      #"Bearer realm="http://p/token",service="registry""#
    ),
    (
      #"Basic realm="x", bearer service="a, b", realm="https://api.example.com/token""#,
      #"Basic realm="x", bearer service="a, b", realm="http://p/token""#
    ),
    (#"Basic realm="https://api.example.com/""#, nil),
    (#"Bearer realm="x", Basic realm="https://api.example.com/""#, nil),
    (#"Bearer realm="https://auth.example.com/token""#, nil),
    ("Bearer", nil), ("Bearer realm=", nil), (#"Bearer realm=""#, nil), ("=", nil), ("", nil),
    (#"Bearer realm="\"#, nil),
  ] as [(String, String?)])
func `a bearer challenge's realm leads to us, another realm is a name`(_ value: String, expected: String?) {
  #expect(plain.rewrittenChallenge(value, proxy: "p") == expected)
}

@Test(
  arguments: [
    ("a=b; Domain=example.com; Path=/", "a=b; Path=/"),
    ("a=b; domain=.API.example.com", "a=b"),
    ("a=b; Domain=other.com", nil),
    ("a=b; Domain=ample.com", nil),
    ("a=b; Domain=com", nil),
    ("a=b; Domain=", nil),
    ("a=b; Secure; HttpOnly", "a=b; HttpOnly"),
    ("a=b; Secure; SameSite=None", "a=b"),
    ("a=b; SameSite=None", nil),
    ("a=secure; SameSite=Lax", nil),
    ("a=b; Path=/; HttpOnly", nil),
    ("a=b; Domain=other.com; Secure; SameSite=None", nil),
    ("a=b; Secure; Domain=example.com", "a=b"),
    ("__Host-a=b; Secure; Path=/", nil),
    ("__secure-a=b; Secure; SameSite=None; Domain=example.com", "__secure-a=b; Secure; SameSite=None"),
  ] as [(String, String?)])
func `cookies fit the proxy`(_ cookie: String, expected: String?) {
  #expect(plain.rewrittenCookie(cookie, proxy: "127.0.0.1:8080") == expected)
}

@Test(
  arguments: [
    ("127.0.0.1", "a=1; domain=.0.0.1", nil), ("127.0.0.1", "a=1; domain=0.0.1", nil),
    ("127.0.0.1", "a=1; domain=1", nil), ("127.0.0.1", "a=1; domain=127.0.0.1", "a=1"),
    ("::1", "a=1; domain=1", nil), ("::1", "a=1; domain=[::1]", "a=1"),
    ("fe80::1.2.3.4", "a=1; domain=2.3.4", nil),
  ] as [(String, String, String?)])
func `a cookie's domain is no suffix of an address`(_ host: String, _ cookie: String, expected: String?) {
  let authority = host.contains(":") ? "[\(host)]:5000" : "\(host):5000"
  let origin = OriginRewriter(scheme: "http", authority: authority, host: host, pathPrefix: "")
  #expect(origin.rewrittenCookie(cookie, proxy: "127.0.0.1:8080") == expected)
}

@Test(arguments: ["a=b; Secure", "a=b; Secure; SameSite=None", "__Host-a=b; Secure; Path=/"])
func `a cookie of a plain http origin stays secure`(_ cookie: String) {
  let origin = OriginRewriter(scheme: "http", authority: "o:8000", host: "o", pathPrefix: "")
  #expect(origin.rewrittenCookie(cookie, proxy: "p") == nil)
}

@Test func `a cookie's path loses the prefix`() {
  #expect(prefixed.rewrittenCookie("a=b; Path=/v2/x", proxy: "p") == "a=b; Path=/x")
  #expect(prefixed.rewrittenCookie("a=b; Path=/", proxy: "p") == nil)
  #expect(prefixed.rewrittenCookie("a=b; Path=/v2/x; Domain=other.com", proxy: "p") == nil)
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

private func fields(_ lines: [(String, String)]) throws -> HTTPFields {
  var fields = HTTPFields()
  for (name, value) in lines { try fields.append(name, value) }
  return fields
}

private func lines(_ fields: HTTPFields) -> [String] {
  fields.map { String(decoding: $0.name + [58] + $0.value, as: UTF8.self) }
}

@Test func `other fields and their order stay`() throws {
  let fields = try fields([
    ("X", "1"), ("location", "https://api.example.com/x"), ("Set-Cookie", "a=b; Secure"),
    ("Set-Cookie", "c=d"),
  ])
  #expect(plain.concerns(fields))
  let rewritten = plain.rewritten(fields, proxyAuthority: Array("me:1".utf8))
  #expect(lines(rewritten) == ["X:1", "location:http://me:1/x", "Set-Cookie:a=b", "Set-Cookie:c=d"])
}

@Test(arguments: [
  "Location", "Content-Location", "Operation-Location", "Azure-AsyncOperation", "azure-asyncoperation",
])
func `every field that is a reference is rewritten`(_ name: String) throws {
  let fields = try fields([(name, "https://api.example.com/x")])
  #expect(plain.concerns(fields))
  #expect(lines(plain.rewritten(fields, proxyAuthority: Array("p".utf8))) == ["\(name):http://p/x"])
}

@Test(
  arguments: [
    ("https://api.example.com/x?page=2", "http://p/x?page=2"), ("//api.example.com/x", "http://p/x"),
    (#"{"next":"https://api.example.com/x"}"#, #"{"next":"http://p/x"}"#),
    ("none", nil), ("https://other.com", nil),
  ] as [(String, String?)])
func `a field that the user named is rewritten`(_ value: String, expected: String?) throws {
  let rules = try RewriteRules(fields: ["X-Next-Page"], rewritesBodies: false)
  let origin = OriginRewriter(
    scheme: "https", authority: "api.example.com", host: "api.example.com", pathPrefix: "", rules: rules)
  let fields = try fields([("x-next-PAGE", value), ("X-Other", value)])
  #expect(origin.concerns(fields) == (expected != nil))
  let rewritten = origin.rewritten(fields, proxyAuthority: Array("p".utf8))
  #expect(lines(rewritten) == ["x-next-PAGE:\(expected ?? value)", "X-Other:\(value)"])
}

@Suite struct OriginMentionTests {
  private func mentions(
    _ origin: OriginRewriter, _ lines: [(String, String)], body: String = ""
  ) throws -> [String] {
    let mentions = OriginMentions(notice: { _ in })
    let fields = try fields(lines)
    origin.search(fields, for: mentions) { HTTPRequest(.get, "/items?secret") }
    let head = HTTPResponseHead(status: 200, fields: fields)
    Array(body.utf8).withUnsafeBytes {
      origin.search(head, body: $0, for: mentions) { HTTPRequest(.get, "/items?secret") }
    }
    return mentions.all.map { "\($0.what) of \($0.request)" }
  }

  @Test(
    arguments: [
      ("X-Next-Page", "https://api.example.com/x?page=2", "field X-Next-Page of GET /items"),
      ("X-Next-Page", "a https://u:p@API.example.com:443/x", "field X-Next-Page of GET /items"),
      ("X-Next-Page", "https://api.example.com.evil/x", nil), ("X-Next-Page", "https://other.com/x", nil),
      ("X-Host", "api.example.com", nil), ("Link", "<https://api.example.com/x>", nil),
      ("Access-Control-Allow-Origin", "https://api.example.com", nil),
      ("Set-Cookie", "__Host-a=b; Secure", "cookie __Host-a of GET /items"),
      ("Set-Cookie", "a=b; Secure", nil),
    ] as [(String, String, String?)])
  func `a field that leads away is told of`(_ name: String, _ value: String, expected: String?) throws {
    #expect(try mentions(plain, [(name, value)]) == (expected.map { [$0] } ?? []))
  }

  @Test(
    arguments: [
      (#"{"next": "https://api.example.com/x?page=2"}"#, "`next` in the body of GET /items"),
      (#"{"next":"https:\/\/api.example.com\/x"}"#, "`next` in the body of GET /items"),
      (#"["https://api.example.com/x"]"#, "the body of GET /items"),
      ("https://api.example.com", "the body of GET /items"),
      ("https://other.com/ https://API.example.com/", "the body of GET /items"),
      ("https://api.example.com.evil/", nil), ("://api.example.com", nil), ("//api.example.com", nil),
      ("https:/", nil), (#"https:\"#, nil), (#"https:\/"#, nil), (#"https:\/\"#, nil), ("https://", nil),
      ("", nil),
    ] as [(String, String?)])
  func `a text that leads away is told of`(_ body: String, expected: String?) throws {
    let found = try mentions(plain, [("Content-Type", "application/json")], body: body)
    #expect(found == (expected.map { [$0] } ?? []))
    #expect(try mentions(plain, [("Content-Type", "image/png")], body: body) == [])
  }

  @Test func `what lies outside of the upstream's path is told of`() throws {
    #expect(try mentions(prefixed, [("Location", "http://o:8000/login")]) == ["field Location of GET /items"])
    #expect(try mentions(prefixed, [("Location", "http://o:8000/v2/login")]) == [])
  }

  @Test func `each thing is told once`() throws {
    let told = try mentions(
      plain,
      [
        ("X-A", "https://api.example.com/1"), ("x-a", "https://api.example.com/2"),
        ("X-B", "https://api.example.com/"),
      ])
    #expect(told == ["field X-A of GET /items", "field X-B of GET /items"])
  }
}

@Suite struct ForwardedFieldTests {
  @Test(
    arguments: [
      ("Origin", "http://p:1", "http://o:8000"), ("Origin", "http://P:1", "http://o:8000"),
      ("Referer", "http://p:1/login?x", "http://o:8000/v2/login?x"),
      ("Referer", "http://p:1", "http://o:8000/v2"),
      ("Destination", "http://p:1/copy", "http://o:8000/v2/copy"),
      ("Origin", "http://p:12", nil), ("Origin", "null", nil), ("Origin", "https://p:1", nil),
      ("Referer", "http://p:1.evil/", nil), ("Referer", "http://page.test/", nil),
      ("X-Origin", "http://p:1", nil),
    ] as [(String, String, String?)])
  func `a request that names the page it comes from names the origin's`(
    _ name: String, _ value: String, expected: String?
  ) throws {
    var request = HTTPRequest(.post, "/form", fields: try fields([("X", "1"), (name, value)]))
    request.authority = Array("p:1".utf8)
    #expect(lines(prefixed.forwarded(request).fields) == ["X:1", "\(name):\(expected ?? value)"])
  }
}
