internal import TapedeckHTTP
internal import TapedeckRedaction

/// Applies the patches that act on one request to its response.
final class Patching {
  /// The largest streamed body that is held to be changed.
  static let maximumHeldBytes = 16 << 20

  let rules: [RequestRule<Patch>]
  private let bodyRules: [RequestRule<Patch>]
  private let eventRules: [RequestRule<Patch>]
  let messageRules: [RequestRule<Patch>]
  private let usages: RuleUsages<Patch>
  private let method: HTTPMethod
  private let decisions: DecisionCollector?

  init(
    _ rules: [RequestRule<Patch>], _ usages: RuleUsages<Patch>, to method: HTTPMethod,
    _ decisions: DecisionCollector?
  ) {
    self.rules = rules
    bodyRules = rules.filter { $0.effect.changesBody }
    eventRules = rules.filter { !$0.effect.events.isEmpty }
    messageRules = rules.filter { !$0.effect.messages.isEmpty }
    self.usages = usages
    self.method = method
    self.decisions = decisions
  }

  var changesBody: Bool { !bodyRules.isEmpty }
  var changesEvents: Bool { !eventRules.isEmpty }

  /// The patched content.
  func content(_ content: ServedResponse.Content) -> ServedResponse.Content {
    guard changesBody || changesEvents || rules.contains(where: { $0.effect.changesHead }) else {
      return content
    }
    switch content {
    case .stream(let source): return .stream(PatchedSource(source, patching: self))
    case .response(let response): return .response(patchedEvents(response)?.response ?? patched(response))
    case .prepared(let prepared):
      guard let response = prepared.response else { return content }
      if let (response, sizes) = patchedEvents(response) {
        return .prepared(
          PreparedResponse(response, to: method, chunks: prepared.unchunked == nil ? nil : sizes))
      }
      return .prepared(self.prepared(response, like: prepared))
    }
  }

  /// The number of bytes needed of a body, the last of which only shows that there is more; `nil` for all.
  private(set) lazy var neededBytes: Int? = {
    let patches = bodyRules.map(\.effect)
    guard patches.allSatisfy(\.isOnlyTruncation), let length = patches.compactMap(\.truncate).min(),
      length < Self.maximumHeldBytes
    else { return nil }
    return length + 1
  }()

  /// Notes with each patch of the body why it does not act.
  func remark(_ text: String) {
    for rule in bodyRules {
      note(text, on: rule)
      countUnchanged(rule)
    }
  }

  func note(_ text: String, on rule: RequestRule<Patch>) { decisions?.remark(text, onPatch: rule.id) }

  func countUnchanged(_ rule: RequestRule<Patch>, isHeadKept: Bool = false) {
    if isHeadKept || !rule.effect.changesHead, rule.effect.delay == nil { usages.countUnchanged(rule) }
  }

  /// Notes with each patch that there is no response.
  func failed() {
    for rule in rules { decisions?.remark("not applied: the origin gave no response", onPatch: rule.id) }
  }

  // MARK: The head

  func hasBody(_ head: HTTPResponseHead) -> Bool {
    !BodyFraming.hasNoBody(status: head.status, method: method)
  }

  /// The reason why the body of a response with this head cannot be changed; `nil` if it can.
  func obstacle(_ head: HTTPResponseHead) -> String? {
    if method == .head { return "a response to HEAD has no body" }
    if !hasBody(head) { return "a response with status \(head.status) has no body" }
    if head.status == 206 { return "this is only a part of the body" }
    if head.fields.text("content-type")?.lowercased().hasPrefix("text/event-stream") == true {
      return "a stream of events is not held"
    }
    return nil
  }

  /// The patched head.
  /// - Parameter isBodyChanged: whether its body is changed, so that the fields about it must follow.
  func head(_ head: HTTPResponseHead, isBodyChanged: Bool) -> HTTPResponseHead {
    var result = head
    if isBodyChanged { result.fields.removeContentValidators() }
    for rule in rules {
      if let status = rule.effect.status, status != result.status {
        result.status = status
        result.reason = Array(HTTPStatus.reason(status).utf8)
      }
      rule.effect.headers.apply(to: &result.fields)
    }
    // RFC 9110 §8.6: a 204 has no length, and a length must be that of the body with this status.
    if hasBody(result) != hasBody(head) || (isBodyChanged && method == .head) {
      result.fields.removeAll("content-length")
    }
    return result
  }

  /// The patched head of a response whose body cannot be changed. A response to HEAD loses its length, since the body of
  /// the GET would be changed.
  func headAlone(_ head: HTTPResponseHead) -> HTTPResponseHead {
    self.head(head, isBodyChanged: changesBody && method == .head)
  }

  // MARK: Events

  /// What applies the patches to the events of a response with this head; `nil` if none does, which is noted.
  func eventPatching(_ head: HTTPResponseHead) -> EventPatching? {
    guard changesEvents else { return nil }
    let form = EventStreamForm(head.fields)
    guard let form, hasBody(head), head.status != 206, BodyCoding(head.fields) == .identity else {
      let reason =
        form == nil
        ? "this is no stream of events"
        : hasBody(head) && head.status != 206
          ? "the stream's coding is not opened" : "this is not the whole stream"
      for rule in eventRules { note(reason, on: rule) }
      for rule in eventRules where !rule.effect.changesBody { countUnchanged(rule) }
      return nil
    }
    if changesBody { remark("a stream of events is not held") }
    return EventPatching(eventRules, form)
  }

  /// Notes what was done to the events when the stream has come to its end.
  func note(_ events: EventPatching) {
    for (index, rule) in eventRules.enumerated() {
      for problem in events.problems[index] ?? [] { decisions?.remark(problem, onPatch: rule.id) }
      if events.isTooLarge { decisions?.remark("an event is too large to be held", onPatch: rule.id) }
      guard !events.acted.contains(index) else { continue }
      if events.problems[index] == nil { decisions?.remark("no event fits", onPatch: rule.id) }
      if !rule.effect.changesBody { countUnchanged(rule) }
    }
  }

  /// A response in memory with its events patched, and the size of each; `nil` if no patch concerns its events.
  private func patchedEvents(_ response: HTTPResponse) -> (response: HTTPResponse, sizes: [Int])? {
    guard var events = eventPatching(response.head) else { return nil }
    let pieces = response.body.withUnsafeBytes { events.append($0) } + events.finish()
    note(events)
    var response = response
    response.body = Array(pieces.joined())
    response.trailers.removeContentDigests()
    response.head = head(response.head, isBodyChanged: true)
    if !hasBody(response.head) { response.body = [] }
    return (response, pieces.map(\.count))
  }

  // MARK: The whole

  func patched(_ response: HTTPResponse) -> HTTPResponse {
    var response = response
    let content = changesBody ? changedBody(response) : nil
    if let content {
      response.body = content
      response.trailers.removeContentDigests()
      response.head.fields.removeAll("content-encoding")
      response.head = head(response.head, isBodyChanged: true)
    } else {
      response.head = headAlone(response.head)
    }
    if !hasBody(response.head) { response.body = [] }
    return response
  }

  /// A patched response in memory: chunked if the original was, and in the same chunks if the body is the same.
  func prepared(_ response: HTTPResponse, like prepared: PreparedResponse) -> PreparedResponse {
    let changed = patched(response)
    if changed.body == response.body, hasBody(changed.head) == hasBody(response.head) {
      return prepared.replacing(head: changed.head, method: method)
    }
    return PreparedResponse(changed, to: method, chunks: prepared.unchunked == nil ? nil : [])
  }

  /// The patched body; `nil` if it is unchanged.
  private func changedBody(_ response: HTTPResponse) -> [UInt8]? {
    if let obstacle = obstacle(response.head) {
      remark(obstacle)
      return nil
    }
    let coding = BodyCoding(response.head.fields)
    guard let content = response.body.isEmpty ? [] : coding.decoded(response.body[...]) else {
      remark("the body's coding \(coding.name) cannot be opened")
      return nil
    }
    return changed(BodyPatching(content, fields: response.head.fields))
  }

  private func changed(_ body: BodyPatching) -> [UInt8]? {
    var body = body
    for rule in bodyRules {
      let problems = body.apply(rule.effect)
      for problem in problems { decisions?.remark(problem, onPatch: rule.id) }
      if problems.count >= rule.effect.bodyEditCount { countUnchanged(rule) }
    }
    return body.finish()
  }
}
