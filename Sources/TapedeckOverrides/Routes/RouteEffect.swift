internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckSockets

/// The response of a declared route, or several in turn, or the WebSocket that it opens.
struct RouteEffect: RuleEffect {
  static let kind = OverrideKind.routes

  /// `nil` for a route that responds.
  let webSocket: DeclaredWebSocket?
  private let responses: [RouteResponse]
  private let loops: Bool

  init(
    _ reader: inout RuleReader, _ path: PathPattern, _ file: OverridesFile?, _ limits: inout RuleLimits
  ) throws(OverrideProblem) {
    let end = try Self.end(&reader)
    webSocket = try reader.read("webSocket") { value, place throws(OverrideProblem) in
      try DeclaredWebSocket(value, at: place, path)
    }
    responses = try Self.responses(&reader, path, file, opensWebSocket: webSocket != nil)
    loops = end == "loop"
    // After its last response, the route lets requests pass.
    if end == "pass" { limits.times = min(limits.times ?? .max, responses.count) }
  }

  /// Reads what happens after the last response of a sequence.
  private static func end(_ reader: inout RuleReader) throws(OverrideProblem) -> String? {
    guard let end = try reader.text("onEnd") else { return nil }
    guard ["repeat", "loop", "pass"].contains(end) else {
      throw reader.problem("onEnd", "must be \"repeat\" (the last response stays), \"loop\" or \"pass\"")
    }
    guard reader.has("sequence") else { throw reader.problem("onEnd", "needs a sequence") }
    return end
  }

  private static func responses(
    _ reader: inout RuleReader, _ path: PathPattern, _ file: OverridesFile?, opensWebSocket: Bool
  ) throws(OverrideProblem) -> [RouteResponse] {
    if opensWebSocket {
      for name in RouteResponse.bodyMembers + ["sequence"] where reader.has(name) {
        throw reader.problem(name, "does not go with webSocket, which has messages of its own")
      }
    }
    guard let items = try reader.list("sequence") else {
      return [try RouteResponse(&reader, path, file)]
    }
    guard !items.isEmpty else { throw reader.problem("sequence", "must hold at least one response") }
    for name in RouteResponse.members where reader.has(name) {
      throw reader.problem(name, "belongs in the responses of the sequence")
    }
    return try items.read(at: reader.place(of: "sequence")) { item, place throws(OverrideProblem) in
      var inner = try RuleReader(item, at: place)
      let response = try RouteResponse(&inner, path, file)
      try inner.finish()
      return response
    }
  }

  /// What a request lacks besides the conditions of the rule; `nil` if nothing.
  func obstacle(_ request: HTTPRequest) -> String? {
    webSocket == nil || request.asksForWebSocket ? nil : "the request opens a WebSocket"
  }

  /// - Parameter use: the number of the request among those that it responds to, from 1.
  func response(_ use: Int) -> RouteResponse {
    responses[loops ? (use - 1) % responses.count : min(use, responses.count) - 1]
  }
}

/// A route's response to one request, with its delay, and its fault and the fault's random numbers.
struct DeclaredResponse {
  var content: ServedResponse.Content
  var delayNanoseconds: Int64
  var fault: Fault?
  var webSocket: DeclaredWebSocket?
  var path: PathPattern
  /// Of the request's random numbers.
  var generator: SplitMix64
}

extension RuleIndex<RouteEffect> {
  /// The response to a request, which is counted with the routes that it matches; `nil` if no route acts.
  func response(
    to request: HTTPRequest, _ usages: RuleUsages<RouteEffect>, _ decisions: DecisionCollector? = nil,
    loop: EventLoop? = nil
  ) -> DeclaredResponse? {
    guard concerns(request) else { return nil }
    let request = OverrideRequest(request)
    var declared: DeclaredResponse?
    offer(request) { rule in
      let unmet = rule.effect.obstacle(request.http)
      let isMet = unmet == nil && rule.condition.accepts(request)
      guard isMet, let claim = usages.claim(rule) else {
        let obstacle = decisions == nil || isMet ? nil : unmet ?? rule.condition.obstacle(request)
        decisions?.decline(.route, rule: rule.id, isMet ? .notItsTurn : .unmet(obstacle ?? ""))
        return false
      }
      decisions?.respond(.route, rule: rule.id, .declared)
      let response = rule.effect.response(claim.use)
      var generator = rule.limits.generator(beyondDiceOf: claim.turn)
      let delay = response.delay?.nanoseconds(using: &generator) ?? 0
      let content = response.content(for: request, rule.condition.path, generator, loop: loop)
      declared = DeclaredResponse(
        content: content, delayNanoseconds: delay, fault: response.fault, webSocket: rule.effect.webSocket,
        path: rule.condition.path, generator: generator)
      return true
    }
    return declared
  }
}

/// The link of the chain that serves the routes of an overrides file and of the admin API.
final class RouteRuleResponder: Responder {
  private let rules: RuleIndex<RouteEffect>
  private let usages: RuleUsages<RouteEffect>
  private let loop: EventLoop

  init(_ rules: RuleIndex<RouteEffect>, _ usages: RuleUsages<RouteEffect>, loop: EventLoop) {
    self.rules = rules
    self.usages = usages
    self.loop = loop
  }

  func needsBody(of request: HTTPRequest) -> Bool { rules.needsBody(of: request) }

  func respond(to request: HTTPRequest, decisions: DecisionCollector?) -> ServedResponse? {
    guard let declared = rules.response(to: request, usages, decisions, loop: loop) else { return nil }
    var response = ServedResponse(declared.content, by: .route)
    if let webSocket = declared.webSocket, let handshake = WebSocketHandshake(request) {
      open(webSocket, handshake, of: request, declared, &response)
    }
    response.delay(by: declared.delayNanoseconds, of: request, loop)
    guard let fault = declared.fault else { return response }
    return fault.applied(to: response, of: request, generator: declared.generator, loop: loop)
  }

  private func open(
    _ webSocket: DeclaredWebSocket, _ handshake: WebSocketHandshake, of request: HTTPRequest,
    _ declared: DeclaredResponse, _ response: inout ServedResponse
  ) {
    if let refusal = handshake.refusal { return response.content = .response(refusal) }
    let socket = DeclaredSocket(
      webSocket, handshake, of: request, declared.path, generator: declared.generator, loop: loop)
    response.content = .stream(socket)
    response.upgrade = socket
  }
}
