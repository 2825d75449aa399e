import TapedeckHTTP
import TapedeckUpstream
import Testing

@testable import TapedeckProxy

@Suite("Which origin a request is for")
struct OriginRoutesTests {
  private static func routes(_ patterns: [String], keepsHost: Bool = false) throws -> OriginRoutes {
    try OriginRoutes(patterns.map { try UpstreamPattern($0) }, forward: nil, keepsHost: keepsHost)
  }

  private static func request(_ target: String, host: String = "127.0.0.1:8080") throws -> HTTPRequest {
    var fields = HTTPFields()
    try fields.append("Host", host)
    var request = HTTPRequest(.get, target, fields: fields)
    request.authority = Array(host.utf8)
    return request
  }

  private static func url(_ place: OriginRoutes.Place) -> String {
    guard case .origin(let request) = place else { return "none" }
    return
      "\(request.scheme.rawValue)://\(String(decoding: request.authority, as: UTF8.self))\(request.targetText)"
  }

  @Test(
    "the longest prefix wins, then a host, then what has no pattern",
    arguments: [
      ("/auth/login?a=1", "127.0.0.1:8080", "https://auth.example.com/login?a=1"),
      ("/auth", "127.0.0.1:8080", "https://auth.example.com/"),
      ("/auth?x", "127.0.0.1:8080", "https://auth.example.com/?x"),
      ("/authors", "127.0.0.1:8080", "https://api.example.com/v2/authors"),
      ("/auth/keep/x", "127.0.0.1:8080", "http://keep.example.com:81/keep/x"),
      ("/auth/keep", "127.0.0.1:8080", "http://keep.example.com:81/keep"),
      ("/users", "shop.localhost:8080", "https://shop.example.com/users"),
      ("/users", "SHOP.localhost:8080", "https://shop.example.com/users"),
      ("/users", "cdn.localhost:8080", "http://cdn.test/users"),
      ("/users", "cdn.localhost", "http://cdn.test/users"),
      ("/users", "shop.localhost", "https://api.example.com/v2/users"),
      ("/auth/x", "shop.localhost:8080", "https://auth.example.com/x"),
      ("/", "elsewhere", "https://api.example.com/v2/"),
      ("*", "elsewhere", "https://api.example.com*"),
    ])
  func patterns(target: String, host: String, expected: String) throws {
    let routes = try Self.routes([
      "https://api.example.com/v2", "/auth=https://auth.example.com",
      "shop.localhost:8080=https://shop.example.com",
      "/auth/keep/=http://keep.example.com:81/keep", "cdn.localhost=http://cdn.test",
    ])
    #expect(Self.url(routes.place(try Self.request(target, host: host))) == expected)
  }

  @Test("the origin gets its own Host, unless the client's is kept")
  func host() throws {
    for keepsHost in [false, true] {
      let place = try Self.routes(["/a=https://a.example.com"], keepsHost: keepsHost).place(
        Self.request("/a/x"))
      guard case .origin(let request) = place else { throw Unexpected() }
      #expect(request.fields.text("host") == (keepsHost ? "127.0.0.1:8080" : "a.example.com"))
    }
  }

  @Test("a request that no pattern fits is told which there are")
  func none() throws {
    guard case .none(let reason) = try Self.routes(["/a=https://a.example.com"]).place(Self.request("/b"))
    else {
      throw Unexpected()
    }
    #expect(reason.contains("/a=https://a.example.com"))
  }

  @Test(
    "what is no pattern is refused",
    arguments: [
      "=https://a.example.com", "/a", "/a b=https://a.example.com", "a/b=https://a.example.com", "/a=ftp://x",
    ])
  func refused(text: String) {
    #expect(throws: UpstreamURLError.self) { try UpstreamPattern(text) }
  }

  private struct Unexpected: Error {}
}

@Suite("Which hosts a forward proxy serves")
struct HostRulesTests {
  private static func rules(allow: [String] = [], ignore: [String] = [], isLoopback: Bool = true) -> HostRules
  {
    var forward = ForwardProxy()
    (forward.allowedHosts, forward.ignoredHosts) = (allow, ignore)
    return HostRules(forward, isLoopback: isLoopback)
  }

  private static func origin(_ host: String, _ port: UInt16) throws -> HTTPOrigin {
    try #require(HTTPOrigin(.https, authority: Array("\(host):\(port)".utf8)))
  }

  @Test("every host is intercepted where none is named")
  func all() throws {
    #expect(try Self.rules().verdict(on: Self.origin("api.example.com", 443)) == .intercepted)
  }

  @Test(
    "hosts by pattern",
    arguments: [
      ("api.example.com", "api.example.com", 443, true),
      ("api.example.com", "API.example.com.evil", 443, false),
      ("*.example.com", "api.example.com", 443, true), ("*.example.com", "example.com", 443, false),
      ("*.example.com", "a.b.example.com", 8443, true), ("*", "anything", 1, true),
      ("*.example.com:8443", "api.example.com", 443, false),
      ("*.example.com:8443", "api.example.com", 8443, true),
      ("10.0.*", "10.0.3.4", 80, true), ("10.0.*", "110.0.3.4", 80, false), ("[::1]:9", "[::1]", 9, true),
      ("a*b*c", "a1b2c", 80, true), ("a*b*c", "abc", 80, true), ("a*b*c", "acb", 80, false),
      ("a*a", "a", 80, false),
    ] as [(String, String, UInt16, Bool)])
  func patterns(pattern: String, host: String, port: UInt16, fits: Bool) throws {
    #expect(try #require(HostPattern(pattern)).matches(Self.origin(host, port)) == fits)
  }

  @Test(
    "what is no host is refused",
    arguments: ["", "https://a", "a/b", ":80", "a:b", "a:0", "a:70000", "a b", "a,b", "a]", "[::1]x"])
  func noPattern(text: String) { #expect(HostPattern(text) == nil) }

  @Test("a host that is not allowed, or ignored, passes unread")
  func outside() throws {
    let rules = Self.rules(allow: ["*.example.com"], ignore: ["static.example.com"])
    #expect(try rules.verdict(on: Self.origin("api.example.com", 443)) == .intercepted)
    #expect(try rules.verdict(on: Self.origin("static.example.com", 443)) == .outside)
    #expect(try rules.verdict(on: Self.origin("example.org", 443)) == .outside)
  }

  @Test("where other machines reach the listener, only allowed hosts are served")
  func closed() throws {
    let verdict = try Self.rules(allow: ["a.example.com"], isLoopback: false).verdict(
      on: Self.origin("b.example.com", 443))
    guard case .prohibited = verdict else { return #expect(Bool(false), "\(verdict)") }
  }

  @Test(
    "link-local addresses and metadata services are served only by name",
    arguments: [
      "169.254.169.254", "169.254.0.1", "metadata.google.internal", "metadata.google.internal.", "[fe80::1]",
      "[febf::1]", "[fd00:ec2::254]", "100.100.100.200", "168.63.129.16", "instance-data", "metadata",
    ])
  func reserved(host: String) throws {
    for rules in [Self.rules(), Self.rules(allow: ["*"])] {
      guard case .prohibited = try rules.verdict(on: Self.origin(host, 80)) else {
        #expect(Bool(false), "\(host) is served")
        return
      }
    }
    #expect(try Self.rules(allow: [host]).verdict(on: Self.origin(host, 80)) == .intercepted)
  }
}
