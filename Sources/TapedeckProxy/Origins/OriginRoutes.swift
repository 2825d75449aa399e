internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckSockets
internal import TapedeckUpstream

/// Finds the origin of each request where there may be several: the one that the request names, or the one whose
/// pattern fits. A pure decision.
struct OriginRoutes: Sendable {
  enum Place: Equatable {
    /// The request as its origin knows it, with the origin named.
    case origin(HTTPRequest)
    /// The same, of a host whose traffic passes unread.
    case outside(HTTPRequest)
    /// No origin fits; the text says why.
    case none(String)
  }

  /// The most specific first.
  let routes: [UpstreamPattern]
  let forward: ForwardPolicy?

  /// Whether origins get the Host that the client sent to us.
  private let keepsHost: Bool

  /// - Parameter routes: as they were given.
  init(_ routes: [UpstreamPattern], forward: ForwardPolicy?, keepsHost: Bool) {
    self.forward = forward
    self.keepsHost = keepsHost
    // The longest prefix wins, then hosts, then what has no pattern.
    self.routes = routes.sorted { $0.specificity > $1.specificity }
  }

  init(_ routes: [UpstreamPattern], forward: ForwardProxy?, _ configuration: ProxyConfiguration) {
    let isLoopback = SocketAddress(configuration.listen)?.isLoopback ?? false
    let policy = forward.map {
      ForwardPolicy(
        $0, isLoopback: isLoopback, acceptsAnyUser: configuration.sessionSelector == .proxyUser)
    }
    self.init(routes, forward: policy, keepsHost: configuration.preservesHost)
  }

  func place(_ request: HTTPRequest) -> Place {
    if request.namesOrigin, let forward { return Self.place(request, forward) }
    switch way(of: request) {
    case .route(let index): return .origin(routes[index].mapped(request, keepsHost: keepsHost))
    case .named(let index):
      var named = request
      named.scheme = routes[index].origin.scheme
      named.authority = Array(routes[index].origin.authority.utf8)
      return .origin(named)
    case nil:
      return .none(
        forward != nil
          ? "the request names no host; send it through this proxy as http_proxy, or name its origin with --upstream"
          : "no --upstream fits the request: there are \(routes.map(\.description).joined(separator: ", "))")
    }
  }

  private static func place(_ request: HTTPRequest, _ forward: ForwardPolicy) -> Place {
    guard let origin = request.origin else { return .none("the request names no host") }
    var named = request
    named.name(origin)
    switch forward.verdict(on: origin) {
    case .intercepted: return .origin(named)
    case .outside: return .outside(named)
    case .prohibited(let reason): return .none(reason)
    }
  }
}

extension OriginRoutes {
  /// What rewrites the responses by each route; empty where nothing is rewritten.
  /// - Parameter listening: `HOST:PORT`.
  func rewriters(_ rules: RewriteRules, listening: String) -> [OriginRewriter] {
    let named = routes.compactMap(\.host)
    let host = SocketAddress(listening).map { AuthorityName($0).host }
    return OriginRewriter.forSeveral(
      routes.compactMap { route in
        var place = route.place
        place.namedHosts = named
        place.listenerHost = host == "0.0.0.0" || host == "[::]" ? "localhost" : host ?? "localhost"
        return OriginRewriter(route.origin, rules, place: place)
      })
  }

  /// Whether `name` is a host by which clients ask for an origin.
  func contains(_ name: AuthorityName) -> Bool {
    routes.contains { $0.host?.isName(in: name) == true }
  }

  /// How a client asks for an origin of a reverse proxy.
  enum Way: Equatable {
    case route(Int)
    /// By the origin's own name, in either scheme.
    case named(Int)
  }

  /// `nil` where no route fits.
  func way(of request: HTTPRequest) -> Way? {
    if request.namesOrigin {
      let name = AuthorityName(request.authority)
      if let index = routes.firstIndex(where: { AuthorityName($0.origin) == name }) { return .named(index) }
    }
    return routes.firstIndex { $0.fits(request) }.map { .route($0) }
  }
}

/// One `--upstream`: an origin, and which requests are for it.
package struct UpstreamPattern: Sendable, Equatable, CustomStringConvertible {
  private enum Condition: Equatable {
    case any
    /// A path prefix without its final slash.
    case path(String)
    /// The host that the client asked for.
    case host(AuthorityName)
  }

  let origin: UpstreamOrigin
  private let condition: Condition

  /// Reads `URL`, `/PREFIX=URL` or `HOST=URL`.
  init(_ text: String) throws(UpstreamURLError) {
    guard let pattern = RecordedUpstreams.condition(of: text) else {
      origin = try UpstreamOrigin(text)
      condition = .any
      return
    }
    origin = try UpstreamOrigin(String(text[pattern.endIndex...].dropFirst()))
    if pattern.hasPrefix("/") {
      let isLegal = pattern.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"?#\"<>\\^`{}".utf8.contains($0) }
      guard isLegal else { throw .badPath(String(pattern)) }
      condition = .path(String(pattern.reversed().drop { $0 == "/" }.reversed()))
    } else {
      let host = try UpstreamOrigin("http://\(pattern)")
      guard host.pathPrefix.isEmpty else { throw .badHost(String(pattern)) }
      condition = .host(AuthorityName(host))
    }
  }

  package var description: String {
    switch condition {
    case .any: "\(origin)"
    case .path(let prefix): "\(prefix.isEmpty ? "/" : prefix)=\(origin)"
    case .host(let name): "\(name)=\(origin)"
    }
  }

  /// Whether it is for the same requests as another.
  func hasCondition(of other: UpstreamPattern) -> Bool { condition == other.condition }

  /// The host that clients ask for, where they need one.
  var host: AuthorityName? {
    if case .host(let name) = condition { name } else { nil }
  }

  /// Where clients find the origin.
  var place: ClientPlace {
    switch condition {
    case .any: ClientPlace(host: .rest)
    case .path(let prefix): ClientPlace(host: .every, prefix: prefix)
    case .host(let name): ClientPlace(host: .named(name))
    }
  }

  /// Of two patterns that fit, the more specific one holds.
  fileprivate var specificity: Int {
    switch condition {
    case .any: 0
    case .host: 1
    case .path(let prefix): 2 + prefix.utf8.count
    }
  }

  fileprivate func fits(_ request: HTTPRequest) -> Bool {
    switch condition {
    case .any: return true
    case .host(let name): return name.isName(in: AuthorityName(request.authority))
    case .path(let prefix):
      guard request.target.starts(with: prefix.utf8) else { return false }
      let next = request.target.dropFirst(prefix.utf8.count).first
      return next == nil || next == UInt8(ascii: "/") || next == UInt8(ascii: "?")
    }
  }

  /// The request as the origin knows it.
  fileprivate func mapped(_ request: HTTPRequest, keepsHost: Bool) -> HTTPRequest {
    var mapped = request
    mapped.namesOrigin = true
    mapped.scheme = origin.scheme
    mapped.authority = Array(origin.authority.utf8)
    if !keepsHost, let index = mapped.fields.index(of: "host") {
      try? mapped.fields.replaceValue(at: index, with: mapped.authority)
    }
    guard request.target != [UInt8(ascii: "*")] else { return mapped }
    let rest = request.target.dropFirst(place.prefix.utf8.count)
    let needsSlash = rest.first != UInt8(ascii: "/") && origin.pathPrefix.isEmpty
    mapped.target = Array(origin.pathPrefix.utf8) + (needsSlash ? [UInt8(ascii: "/")] : []) + rest
    return mapped
  }
}
