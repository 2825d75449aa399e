internal import TapedeckHTTP

/// The field of `--explain`, which says where a response comes from: `Tapedeck-Answer: cassette;file="get-users-1.json"`.
/// It is an item with parameters (RFC 9651). Added only with `--explain`, because replayed responses must match the
/// recording exactly.
enum ExplainField {
  fileprivate static let name: StaticString = "Tapedeck-Answer"

  static func added(to response: ServedResponse, _ decisions: DecisionCollector) -> ServedResponse.Content {
    let source = response.source
    switch response.content {
    case .prepared(let prepared):
      return .prepared(prepared.adding(name, value(source, decisions.decisions, nil)))
    case .response(var response):
      response.head.fields.append(literal: name, value(source, decisions.decisions, nil))
      return .response(response)
    case .stream(let stream): return .stream(ExplainedSource(stream, from: source, decisions))
    }
  }

  static func value(
    _ source: ServedResponse.Source, _ decisions: Decisions, _ failure: ExchangeFailure?
  ) -> String {
    var text = source.rawValue
    if let rule = decisions.responded?.rule { text += ";rule=\(quoted(rule))" }
    let replay = decisions.replay
    if let replay { text += ";file=\(quoted(replay.file));turn=\(replay.turn);of=\(replay.turns)" }
    if let number = decisions.sessionRequest { text += ";request=\(number)" }
    if case .forwarded(isRecorded: true)? = decisions.responded?.reason, failure == nil {
      text += ";recorded"
    }
    if let failure { text += ";error=\(failure.cause)" }
    if let nearest = decisions.miss?.nearest.first { text += ";nearest=\(quoted(nearest.file))" }
    if let replay, !replay.drift.isEmpty { text += ";drift=\(quoted(replay.drift.joined(separator: ", ")))" }
    if let substitution = replay?.substitution { text += ";\(substitution.rawValue)" }
    let applied = decisions.applied
    if !applied.isEmpty { text += ";applied=\(quoted(applied.joined(separator: ", ")))" }
    return text
  }

  /// The first 200 bytes as a string of RFC 9651 §3.3.3.
  private static func quoted(_ text: String) -> String {
    HTTPFields.structuredString(text.utf8.prefix(200))
  }
}

/// A stream whose head gets the field on its way out, with what is known by then.
private final class ExplainedSource: StreamFilter {
  let source: any ResponseSource
  var sink: (any ResponseSink)?
  private let origin: ServedResponse.Source
  private let decisions: DecisionCollector

  init(_ source: any ResponseSource, from origin: ServedResponse.Source, _ decisions: DecisionCollector) {
    self.origin = origin
    self.decisions = decisions
    self.source = source
  }

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    var head = head
    head.fields.append(literal: ExplainField.name, ExplainField.value(origin, decisions.decisions, nil))
    sink?.begin(head, framing: framing)
  }

  func fail(_ response: HTTPResponse) {
    var response = response
    let value = ExplainField.value(origin, decisions.decisions, response.failure)
    response.head.fields.append(literal: ExplainField.name, value)
    finish { $0.fail(response) }
  }
}
