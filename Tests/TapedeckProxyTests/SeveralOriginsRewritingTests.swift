import TapedeckHTTP
import TapedeckRecording
import TapedeckUpstream
import Testing

@testable import TapedeckProxy

/// What names one of several origins comes to name us by the route that leads to it, and back.
@Suite struct SeveralOriginsRewritingTests {
  private static let patterns = [
    "https://api.example.com/v2", "/auth=https://auth.example.com", "shop.localhost=https://shop.example.com",
    "/old=https://api.example.com/v1", "/kept/=http://keep.example.com:81/kept",
    "cdn.localhost:81=http://cdn.test",
  ]
  private static let us = "127.0.0.1:8080"

  private let routes: OriginRoutes
  private let rewriters: [OriginRewriter]

  init() throws {
    routes = try OriginRoutes(Self.patterns.map { try UpstreamPattern($0) }, forward: nil, keepsHost: false)
    rewriters = routes.rewriters(RewriteRules(), listening: Self.us)
  }

  private func asked(
    _ target: String, at host: String = us, _ fields: [(String, String)] = []
  ) throws -> HTTPRequest {
    var all = HTTPFields()
    for (name, value) in [("Host", host)] + fields { try all.append(name, value) }
    var request = HTTPRequest(.get, target, fields: all)
    request.authority = Array(host.utf8)
    return request
  }

  private static func text(_ name: String, of fields: HTTPFields) -> String? {
    fields.first { String(decoding: $0.name, as: UTF8.self) == name }.map {
      String(decoding: $0.value, as: UTF8.self)
    }
  }

  /// Of the route by which a client asks.
  private func rewriter(_ target: String, at host: String = us) throws -> OriginRewriter {
    guard case .route(let index) = routes.way(of: try asked(target, at: host)) else { throw Unexpected() }
    return rewriters[index]
  }

  @Test(
    arguments: [
      ("/x", "https://auth.example.com/login?a#b", "http://127.0.0.1:8080/auth/login?a#b"),
      ("/x", "https://auth.example.com", "http://127.0.0.1:8080/auth"),
      ("/x", "//auth.example.com/login", "http://127.0.0.1:8080/auth/login"),
      ("/x", "https://user@auth.example.com/", "http://user@127.0.0.1:8080/auth/"),
      ("/x", "http://auth.example.com/", nil), ("/x", "//keep.example.com:81/kept/x", nil),
      ("/x", "https://api.example.com/v2/a", "http://127.0.0.1:8080/a"),
      ("/x", "https://api.example.com/v1/a", "http://127.0.0.1:8080/old/a"),
      ("/x", "https://api.example.com/v3/a", nil),
      ("/x", "/v2/a", "/a"), ("/x", "/v1/a", "http://127.0.0.1:8080/old/a"), ("/x", "/v3/a", nil),
      ("/x", "https://shop.example.com/cart", "http://shop.localhost:8080/cart"),
      ("/x", "http://cdn.test/logo", "http://cdn.localhost:81/logo"),
      ("/auth/x", "/login", "/auth/login"), ("/auth/x", "/", "/auth/"), ("/auth/x", "login", nil),
      ("/auth/x", "https://auth.example.com/login", "http://127.0.0.1:8080/auth/login"),
      ("/auth/x", "https://api.example.com/v2/a", "http://127.0.0.1:8080/a"),
      ("/old/x", "/v1/a", "/old/a"), ("/old/x", "/v2/a", "http://127.0.0.1:8080/a"),
      ("/kept/x", "/kept/a", "/kept/a"), ("/kept/x", "/elsewhere", nil),
      ("/kept/x", "http://keep.example.com:81/kept", "http://127.0.0.1:8080/kept/"),
    ] as [(String, String, String?)])
  func `a reference leads by the route of its origin`(_ target: String, _ location: String, expected: String?)
    throws
  {
    #expect(try rewriter(target).rewrittenLocation(location, proxy: Self.us) == expected)
  }

  @Test(
    arguments: [
      ("/cart", nil), ("https://shop.example.com/cart", "http://shop.localhost:8080/cart"),
      ("https://auth.example.com/x", "http://shop.localhost:8080/auth/x"),
      ("https://api.example.com/v2/x", "http://127.0.0.1:8080/x"),
    ] as [(String, String?)])
  func `a client that came by a host stays there for paths`(_ location: String, expected: String?) throws {
    let proxy = "shop.localhost:8080"
    #expect(try rewriter("/x", at: proxy).rewrittenLocation(location, proxy: proxy) == expected)
  }

  @Test func `a client over TLS gets https, and one that does not say where it is paths`() throws {
    let shop = try rewriter("/x", at: "shop.localhost").serving(.https)
    let location = "https://auth.example.com/x"
    #expect(shop.rewrittenLocation(location, proxy: "shop.localhost") == "https://shop.localhost/auth/x")
    let own = try rewriter("/x")
    #expect(own.rewrittenLocation(location, proxy: "") == "/auth/x")
    #expect(own.rewrittenLocation("https://shop.example.com/x", proxy: "") == nil)
  }

  @Test(
    arguments: [
      ("/auth/x", "a=b; Path=/", "a=b; Path=/auth"), ("/auth/x", "a=b; Path=/login", "a=b; Path=/auth/login"),
      ("/auth/x", "a=b; Path=/login/; HttpOnly", "a=b; Path=/auth/login/; HttpOnly"),
      ("/auth/x", "a=b", nil), ("/auth/x", "a=b; Path=", nil), ("/auth/x", "a=b; Path=x", nil),
      ("/auth/x", "a=b; Domain=auth.example.com; Path=/", "a=b; Path=/auth"),
      // Other origins get it too.
      ("/auth/x", "a=b; Domain=example.com; Path=/", "a=b; Path=/"),
      ("/auth/x", "a=b; Domain=example.com; Path=/x", "a=b; Path=/auth/x"),
      ("/auth/x", "a=b; Domain=other.com; Path=/", nil),
      ("/auth/x", "a=b; Secure; Path=/", "a=b; Path=/auth"),
      ("/auth/x", "__Host-a=b; Secure; Path=/", nil),
      ("/auth/x", "__Secure-a=b; Secure; Path=/", "__Secure-a=b; Secure; Path=/auth"),
      ("/x", "a=b; Path=/v2", "a=b; Path=/"), ("/x", "a=b; Path=/", nil),
      ("/old/x", "a=b; Path=/v1/a", "a=b; Path=/old/a"), ("/old/x", "a=b; Path=/", "a=b; Path=/old"),
      ("/old/x", "a=b; Path=/v2", nil), ("/kept/x", "a=b; Path=/kept", nil),
    ] as [(String, String, String?)])
  func `a cookie is kept for the paths of its origin`(_ target: String, _ cookie: String, expected: String?)
    throws
  {
    #expect(try rewriter(target).rewrittenCookie(cookie, proxy: Self.us) == expected)
  }

  @Test(
    arguments: [
      (
        "Link", "</a>; rel=next, <https://api.example.com/v2/b>",
        "</auth/a>; rel=next, <http://127.0.0.1:8080/b>"
      ),
      ("Refresh", "5; url=/a", "5; url=/auth/a"),
      (
        "WWW-Authenticate", #"Bearer realm="https://shop.example.com/t""#,
        #"Bearer realm="http://shop.localhost:8080/t""#
      ),
      ("Access-Control-Allow-Origin", "https://shop.example.com", "http://shop.localhost:8080"),
      ("Access-Control-Allow-Origin", "https://api.example.com", "http://127.0.0.1:8080"),
      ("Access-Control-Allow-Origin", "*", "*"),
      ("X-Next", "https://shop.example.com/", "https://shop.example.com/"),
    ])
  func `every field that holds references follows`(_ name: String, _ value: String, expected: String) throws {
    var fields = HTTPFields()
    try fields.append(name, value)
    let rewritten = try rewriter("/auth/x").rewritten(fields, proxyAuthority: Array(Self.us.utf8))
    #expect(Self.text(name, of: rewritten) == expected)
  }

  @Test(arguments: [1, 3, 1000])
  func `texts name each origin by its route`(_ size: Int) throws {
    let text =
      #"{"a": "https://auth.example.com/x", "b": "https:\/\/auth.example.com\/y", "c": "https://api.example.com/v1/z", "#
      + #""d": "https://shop.example.com", "e": "https://auth.example.com.evil/", "f": "http://cdn.test"}"#
    let expected =
      #"{"a": "http://127.0.0.1:8080/auth/x", "b": "http:\/\/127.0.0.1:8080\/auth\/y", "c": "http://127.0.0.1:8080/old/z", "#
      + #""d": "http://shop.localhost:8080", "e": "https://auth.example.com.evil/", "f": "http://cdn.localhost:81"}"#
    var rewriter = OriginTextRewriter(try rewriter("/x"), proxyAuthority: Array(Self.us.utf8))
    var result: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      result += rewriter.rewrite(rest.prefix(size))
      rest = rest.dropFirst(size)
    }
    #expect(String(decoding: result + rewriter.finish(), as: UTF8.self) == expected)
  }

  @Test(
    arguments: [
      ("/auth/x", us, "Referer", "http://127.0.0.1:8080/auth/page", "https://auth.example.com/page"),
      ("/auth/x", us, "Referer", "http://127.0.0.1:8080/auth", "https://auth.example.com/"),
      ("/auth/x", us, "Referer", "http://127.0.0.1:8080/authors", "https://api.example.com/v2/authors"),
      ("/auth/x", us, "Referer", "http://shop.localhost:8080/cart", "https://shop.example.com/cart"),
      ("/auth/x", us, "Referer", "http://shop.localhost:9090/cart", "http://shop.localhost:9090/cart"),
      ("/auth/x", us, "Referer", "http://elsewhere.test/auth/x", "http://elsewhere.test/auth/x"),
      ("/auth/x", us, "Origin", "http://127.0.0.1:8080", "https://auth.example.com"),
      ("/auth/x", us, "Origin", "http://shop.localhost:8080", "https://shop.example.com"),
      ("/auth/x", us, "Origin", "https://127.0.0.1:8080", "https://127.0.0.1:8080"),
      ("/auth/x", us, "Origin", "null", "null"),
      ("/x", "shop.localhost:8080", "Origin", "http://shop.localhost:8080", "https://shop.example.com"),
      ("/x", "shop.localhost:8080", "Origin", "http://127.0.0.1:8080", "https://shop.example.com"),
      ("/old/x", us, "Destination", "http://127.0.0.1:8080/old/y", "https://api.example.com/v1/y"),
    ])
  func `requests name the origin that the client means`(
    _ target: String, _ host: String, _ name: String, _ value: String, expected: String
  ) throws {
    let asked = try asked(target, at: host, [(name, value)])
    let sent = try rewriter(target, at: host).forwarded(asked, from: asked)
    #expect(Self.text(name, of: sent.fields) == expected)
  }

  @Test func `the page that a form stands on tells its origin`() throws {
    let asked = try asked(
      "/auth/token", [("Origin", "http://127.0.0.1:8080"), ("Referer", "http://127.0.0.1:8080/old/page")])
    let sent = try rewriter("/auth/token").forwarded(asked, from: asked)
    #expect(sent.fields.text("origin") == "https://api.example.com")
  }

  @Test func `a client that names origins gets their own names`() throws {
    var request = try asked("/x", at: "auth.example.com")
    request.namesOrigin = true
    guard case .named(let index) = routes.way(of: request) else { throw Unexpected() }
    let named = rewriters[index].named
    #expect(
      named.rewrittenLocation("https://api.example.com/v3", proxy: "auth.example.com")
        == "http://api.example.com/v3")
    #expect(named.rewrittenLocation("/login", proxy: "auth.example.com") == nil)
  }

  @Test func `one route with a prefix needs no other`() throws {
    let routes = try OriginRoutes([UpstreamPattern("/a=https://a.test")], forward: nil, keepsHost: false)
    let rewriter = try #require(routes.rewriters(RewriteRules(), listening: Self.us).first)
    #expect(rewriter.rewrittenLocation("https://a.test/x", proxy: Self.us) == "http://127.0.0.1:8080/a/x")
    let asked = try asked("/a/x", [("Referer", "http://127.0.0.1:8080/b")])
    #expect(rewriter.forwarded(asked).fields.text("referer") == "http://127.0.0.1:8080/b")
  }

  private struct Unexpected: Error {}
}
