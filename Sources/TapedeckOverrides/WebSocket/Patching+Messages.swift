internal import TapedeckHTTP
internal import TapedeckSockets

/// Patches of the messages of WebSockets.
extension Patching {
  /// Lets the patches act on what is said over the WebSocket that a response opens.
  func patchMessages(
    of response: inout ServedResponse, _ acting: [(rule: RequestRule<Patch>, turn: Int)],
    _ request: HTTPRequest,
    loop: EventLoop
  ) {
    guard !messageRules.isEmpty else { return }
    guard let upgrade = response.upgrade, let source = response.content.stream(to: request.method) else {
      return noteNoWebSocket()
    }
    let rules = acting.filter { !$0.rule.effect.messages.isEmpty }
      .map { (rule: $0.rule, generator: $0.rule.limits.generator(beyondDiceOf: $0.turn)) }
    let filter = MessageFilter(source, upgrade, MessagePatching(rules, self, of: request), loop: loop)
    response.content = .stream(filter)
    response.upgrade = filter
  }

  /// Notes that the response opens a WebSocket: nothing but its messages is patched.
  func noteWebSocket() {
    for rule in rules where rule.effect.changesResponse {
      note("the response opens a WebSocket, of which only messages are patched", on: rule)
      if rule.effect.messages.isEmpty { countUnchanged(rule, isHeadKept: true) }
    }
  }

  /// Notes that there are no messages to patch.
  func noteNoWebSocket() {
    for rule in messageRules {
      note("this opens no WebSocket", on: rule)
      if !rule.effect.changesResponse { countUnchanged(rule) }
    }
  }

  /// Notes that a rule has changed no message of a WebSocket.
  /// - Parameter reason: `nil` if that has been noted.
  func noteUnchanged(_ rule: RequestRule<Patch>, because reason: String?) {
    if let reason { note(reason, on: rule) }
    countUnchanged(rule, isHeadKept: true)
  }
}

extension Patch {
  /// Whether it changes a response that opens no WebSocket.
  fileprivate var changesResponse: Bool { changesHead || changesBody || !events.isEmpty }
}
