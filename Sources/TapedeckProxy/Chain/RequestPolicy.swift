internal import TapedeckHTTP
internal import TapedeckRecording
import TapedeckSockets

/// What a proxy does with a request before any link of the chain (RFC 9110 §7.6, §9.3.8, §15.5.20): it does not echo it,
/// does not send it round in circles, counts its hops, and refuses requests for other hosts.
struct RequestPolicy {
  enum Verdict: Equatable {
    /// On to the links, perhaps with one hop less to go.
    case pass(HTTPRequest)
    case respond(HTTPResponse)
    /// A response whose reason the user has to be told.
    case refuse(HTTPResponse)
    /// CONNECT: the connection goes on as one with the origin.
    case intercept
    /// CONNECT: bytes pass unread.
    case tunnel
  }

  let cassette: LoopCache<CassetteSlot>
  let listener: ListenerNames
  /// What a forward proxy does with requests that name their origin; `nil` for a reverse proxy.
  let forward: ForwardPolicy?
  /// Whether messages name the command's options.
  let namesOptions: Bool

  /// The name that a proxy of this kind has in `Via`.
  private static let pseudonym: StaticString = "tapedeck"
  private static let methods = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

  /// Whether `verdict` has to be asked, as for few requests.
  func concerns(_ request: HTTPRequest) -> Bool {
    request.namesOrigin
      || request.method != .get && (request.method == .trace || request.method == .options)
      || request.fields.contains("via")
  }

  func verdict(on request: HTTPRequest) -> Verdict {
    guard request.namesOrigin else { return Self.verdict(on: request) }
    if listener.contains(AuthorityName(request.authority)) { return toOurselves(request) }
    guard let forward else { return misdirected(request).map { .refuse($0) } ?? Self.verdict(on: request) }
    if let refusal = forward.refusal(of: request) { return .refuse(refusal) }
    return request.method == .connect ? connect(request, forward) : Self.verdict(on: request)
  }

  /// A proxy is also spoken to as a server, in absolute form too (RFC 9112 §3.2.2).
  private func toOurselves(_ request: HTTPRequest) -> Verdict {
    guard request.method != .connect else {
      return .refuse(.problem(403, "CONNECT names this proxy itself"))
    }
    var request = request
    request.namesOrigin = false
    return Self.verdict(on: request)
  }

  private func connect(_ request: HTTPRequest, _ forward: ForwardPolicy) -> Verdict {
    guard let origin = HTTPOrigin(.https, authority: request.authority) else {
      return .refuse(.problem(400, "CONNECT names no host"))
    }
    if forward.shares(origin) { return .tunnel }
    if forward.verdict(on: origin) == .intercepted { return .intercept }
    guard cassette.current.disposition(.unknown) != .refuse else {
      return .refuse(.problem(403, Self.outsideDetail("\(origin.host):\(origin.port)")))
    }
    return .tunnel
  }

  /// Why a host whose traffic passes unread is not served offline.
  static func outsideDetail(_ host: String) -> String {
    "\(host) is not intercepted (--allow-hosts, --ignore-hosts), so it is not served offline"
  }

  static func verdict(on request: HTTPRequest) -> Verdict {
    // RFC 9110 §7.6.3: our own name there means that the request has been here.
    if request.fields.hasPassed(pseudonym) {
      return .respond(.problem(508, "the request has passed this proxy before"))
    }
    if request.method == .trace { return .respond(trace(request)) }
    if request.method == .options { return options(request) }
    return .pass(request)
  }

  /// RFC 9110 §9.3.8: an echo would hand cookies and credentials to whoever made the client ask.
  private static func trace(_ request: HTTPRequest) -> HTTPResponse {
    guard request.body.isEmpty, !request.fields.contains("content-length"),
      !request.fields.contains("transfer-encoding")
    else { return .problem(400, "a TRACE request has no body") }
    var response = HTTPResponse.problem(405, "TRACE is neither served here nor passed on")
    response.head.fields.append(literal: "Allow", methods)
    return response
  }

  /// RFC 9110 §7.6.2: the last recipient responds; any other counts down.
  private static func options(_ request: HTTPRequest) -> Verdict {
    let hops: Int?
    do { hops = try request.fields.maxForwards() } catch {
      return .respond(.problem(error.status, error.description))
    }
    guard let hops else { return .pass(request) }
    guard hops > 0 else {
      var fields = HTTPFields()
      fields.append(literal: "Allow", methods)
      return .respond(HTTPResponse(head: HTTPResponseHead(status: 204, fields: fields)))
    }
    var onward = request
    for (index, field) in request.fields.enumerated() where field.isNamed("max-forwards") {
      // Digits are always a valid value.
      try? onward.fields.replaceValue(at: index, with: Array("\(hops - 1)".utf8))
    }
    return .pass(onward)
  }

  /// A client that takes us for a forward proxy must not get one host's response for another's. Only an absolute-form
  /// target says so; `Host` alone is what clients of a reverse proxy get wrong all the time.
  private func misdirected(_ request: HTTPRequest) -> HTTPResponse? {
    guard request.namesOrigin else { return nil }
    let cassette = cassette.current
    let named = AuthorityName(request.authority)
    guard !cassette.matcher.rules.parts.contains(.host), !cassette.origins.contains(named),
      !listener.contains(named), cassette.routes?.contains(named) != true
    else { return nil }
    return .problem(421, detail(request, cassette))
  }

  private func detail(_ request: HTTPRequest, _ cassette: InsertedCassette) -> String {
    let asked = String(decoding: request.authority, as: UTF8.self)
    let known = cassette.origins.prefix(3).map { "\($0)" }.joined(separator: " or ")
    let origin = known.isEmpty ? "; it has no origin" : ", whose origin is \(known)"
    guard !cassette.hasSeveralOrigins else {
      let setting = namesOptions ? "--forward" : "ProxyConfiguration.forward"
      return
        "the request is for \(asked), not for this proxy\(origin); \(setting) serves requests for any host"
    }
    let setting = namesOptions ? "--match host" : "ProxyConfiguration.match with host"
    return "the request is for \(asked), not for this proxy\(origin); "
      + "\(setting) accepts requests for any host and compares the host too"
  }
}
