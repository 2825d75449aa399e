internal import TapedeckHTTP
internal import TapedeckRedaction

/// The patches that act in one request, and what they make of its answer.
final class Patching {
  /// Up to here a streamed body is held, so that it can be changed.
  static let maximumHeldBytes = 16 << 20

  private let rules: [PatchRule]
  private let usages: [RuleUsage]
  private let method: HTTPMethod
  private let decisions: DecisionCollector?
  private let bodyRules: [Int]

  init(
    _ acting: [(rule: PatchRule, usage: RuleUsage)], to method: HTTPMethod, _ decisions: DecisionCollector?
  ) {
    let rules = acting.map(\.rule)
    self.rules = rules
    usages = acting.map(\.usage)
    self.method = method
    self.decisions = decisions
    bodyRules = rules.indices.filter { rules[$0].patch.changesBody }
  }

  var changesHead: Bool { rules.contains { $0.patch.changesHead } }
  var changesBody: Bool { !bodyRules.isEmpty }

  /// No more than this of a body is wanted, one byte of which only tells that there is more; nil for all of it.
  private(set) lazy var neededBytes: Int? = {
    let patches = bodyRules.map { rules[$0].patch }
    guard patches.allSatisfy(\.isOnlyTruncation), let length = patches.compactMap(\.truncate).min(),
      length < Self.maximumHeldBytes
    else { return nil }
    return length + 1
  }()

  /// Says of each patch of the body why it does not act.
  func remark(_ text: String) {
    for index in bodyRules {
      decisions?.remark(text, onPatch: rules[index].id)
      countUnchanged(index)
    }
  }

  private func countUnchanged(_ index: Int) {
    let patch = rules[index].patch
    if !patch.changesHead, patch.delay == nil { usages[index].countUnchanged() }
  }

  /// The answer itself did not come.
  func failed() {
    for rule in rules { decisions?.remark("not applied: the origin gave no answer", onPatch: rule.id) }
  }

  // MARK: The head

  func hasBody(_ head: HTTPResponseHead) -> Bool {
    !BodyFraming.hasNoBody(status: head.status, method: method)
  }

  /// Why the body of such an answer cannot be changed; nil when it can.
  func obstacle(_ head: HTTPResponseHead) -> String? {
    if method == .head { return "an answer to HEAD has no body" }
    if !hasBody(head) { return "an answer with status \(head.status) has no body" }
    if head.status == 206 { return "this is only a part of the body" }
    if head.fields.text("content-type")?.lowercased().hasPrefix("text/event-stream") == true {
      return "a stream of events is not held"
    }
    return nil
  }

  /// The head as it goes out.
  /// - Parameter isBodyChanged: whether it describes another body than it did.
  func head(_ head: HTTPResponseHead, isBodyChanged: Bool) -> HTTPResponseHead {
    var result = head
    if isBodyChanged { result.fields.removeContentValidators() }
    for rule in rules {
      if let status = rule.patch.status, status != result.status {
        result.status = status
        result.reason = Array(HTTPStatus.reason(status).utf8)
      }
      rule.patch.headers.apply(to: &result.fields)
    }
    // RFC 9110 §8.6: no length with a 204, nor one of a body that is not the one of this status.
    if hasBody(result) != hasBody(head) || (isBodyChanged && method == .head) {
      result.fields.removeAll("content-length")
    }
    return result
  }

  /// The head of an answer whose body cannot be changed. That of a GET would be, so HEAD must not tell its length.
  func headAlone(_ head: HTTPResponseHead) -> HTTPResponseHead {
    self.head(head, isBodyChanged: changesBody && method == .head)
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

  /// The same of an answer that is in memory: chunked where it was, and in the same chunks where the body is the same.
  func prepared(_ response: HTTPResponse, like prepared: PreparedResponse) -> PreparedResponse {
    let changed = patched(response)
    if changed.body == response.body, hasBody(changed.head) == hasBody(response.head) {
      return prepared.replacing(head: changed.head, method: method)
    }
    return PreparedResponse(changed, to: method, chunks: prepared.unchunked == nil ? nil : [])
  }

  /// Nil where the body stays as it is.
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
    for index in bodyRules {
      let patch = rules[index].patch
      let problems = body.apply(patch)
      for problem in problems { decisions?.remark(problem, onPatch: rules[index].id) }
      if problems.count >= patch.bodyEditCount { countUnchanged(index) }
    }
    return body.finish()
  }
}

extension Patch {
  fileprivate var isOnlyTruncation: Bool {
    truncate != nil && json.isEmpty && jsonPatch == nil && replacements.isEmpty
  }

  fileprivate var bodyEditCount: Int {
    json.count + (jsonPatch == nil ? 0 : 1) + replacements.count + (truncate == nil ? 0 : 1)
  }
}
