internal import TapedeckHTTP

/// Adds to every answer one field that says who gave it: `Tapedeck-Answer: cassette;file="get-users-1-3f9a1c.json"`. It
/// is an item with parameters of RFC 9651. Only there when asked for: an answer is faithful without.
final class ExplainingResponder: Responder {
  static let field: StaticString = "Tapedeck-Answer"
  private let chain: any Responder

  init(before chain: any Responder) { self.chain = chain }

  func respond(to request: HTTPRequest) throws -> ServedResponse? {
    guard var answer = try chain.respond(to: request) else { return nil }
    switch answer.content {
    case .prepared(let prepared): answer.content = .prepared(prepared.adding(Self.field, Self.value(answer)))
    case .response(var response):
      response.head.fields.append(literal: Self.field, Self.value(answer))
      answer.content = .response(response)
    case .stream(let source): answer.content = .stream(ExplainedSource(source, of: answer))
    }
    return answer
  }

  static func value(_ answer: ServedResponse) -> String {
    guard let explanation = answer.explanation else { return answer.source.rawValue }
    var text = answer.source.rawValue
    if let rule = explanation.rule { text += ";rule=\(quoted(rule))" }
    if let file = explanation.file { text += ";file=\(quoted(file))" }
    if let turn = explanation.turn, let turns = explanation.turns { text += ";turn=\(turn);of=\(turns)" }
    if explanation.isRecorded { text += ";recorded" }
    if let failure = explanation.failure { text += ";error=\(failure.cause)" }
    if let nearest = explanation.nearest { text += ";nearest=\(quoted(nearest))" }
    if !explanation.drift.isEmpty { text += ";drift=\(quoted(explanation.drift.joined(separator: ", ")))" }
    if let substitution = explanation.substitution { text += ";\(substitution.rawValue)" }
    let applied = explanation.applied
    if !applied.isEmpty { text += ";applied=\(quoted(applied.joined(separator: ", ")))" }
    return text
  }

  /// A string of RFC 9651 §3.3.3: ASCII without control characters, here at most 200 of them.
  private static func quoted(_ text: String) -> String {
    var out = "\""
    for byte in text.utf8.prefix(200) {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): out += "\\" + String(Unicode.Scalar(byte))
      case 0x20..<0x7F: out += String(Unicode.Scalar(byte))
      default: out += "?"
      }
    }
    return out + "\""
  }
}

/// A stream whose head gets the field on its way out.
private final class ExplainedSource: StreamFilter {
  private var answer: ServedResponse

  init(_ source: any ResponseSource, of answer: ServedResponse) {
    self.answer = answer
    super.init(source)
  }

  /// As far as it is known when the head goes out.
  private var value: String { ExplainingResponder.value(answer) }

  override func begin(_ head: HTTPResponseHead, framing: BodyFraming) {
    var head = head
    head.fields.append(literal: ExplainingResponder.field, value)
    super.begin(head, framing: framing)
  }

  override func fail(_ response: HTTPResponse) {
    var response = response
    if let failure = response.failure { answer.explanation = answer.explanation?.failed(failure) }
    response.head.fields.append(literal: ExplainingResponder.field, value)
    super.fail(response)
  }
}
