public import TapedeckHTTP
public import TapedeckRecording
import TapedeckRedaction

/// One request to ask an origin again, and what it answered when it was recorded.
public struct DriftQuestion: Sendable {
  public enum Plan: Sendable {
    case ask(HTTPRequest)
    /// A sentence says why not.
    case skip(String)
  }

  /// The answers recorded for the request, in order; at least one.
  public let answers: [StoredInteraction]
  public let plan: Plan
  /// Header fields that are left out because their recorded values are placeholders.
  public let withheld: [String]

  /// One question for every request of a cassette: in the order of recording where unsafe methods are asked too, since
  /// then one request may depend on another, else in that of the names.
  /// - Parameters:
  ///   - asksUnsafeMethods: whether those are asked that may change something (RFC 9110 §9.2.1).
  ///   - fields: replace the recorded fields of the same names.
  public static func all(
    of cassette: Cassette, asksUnsafeMethods: Bool, fields: HTTPFields
  ) throws(CassetteError) -> [DriftQuestion] {
    var order: [MatchKey] = []
    var answers: [MatchKey: [StoredInteraction]] = [:]
    for answer in cassette.answers {
      if answers[answer.key] == nil { order.append(answer.key) }
      answers[answer.key, default: []].append(answer)
    }
    var questions: [DriftQuestion] = []
    for key in order {
      guard let group = answers[key] else { continue }
      questions.append(try DriftQuestion(group, asksUnsafeMethods: asksUnsafeMethods, fields: fields))
    }
    guard asksUnsafeMethods else { return questions }
    return questions.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
  }

  private var time: Int { answers[0].interaction.volatile.recordedAtMicroseconds ?? .max }

  private init(
    _ answers: [StoredInteraction], asksUnsafeMethods: Bool, fields: HTTPFields
  ) throws(CassetteError) {
    self.answers = answers
    let interaction = answers[0].interaction
    var request = interaction.request
    guard asksUnsafeMethods || request.method.isSafe else {
      (plan, withheld) = (.skip("\(request.method) may change something"), [])
      return
    }
    if let body = interaction.largeRequestBody {
      request.body = try body.open().bytes(at: 0, count: body.size)
    }
    withheld = Self.replaceFields(of: &request, by: fields)
    if Placeholder.stands(in: request.target) || Placeholder.stands(in: request.body) {
      let place = Placeholder.stands(in: request.target) ? "target" : "body"
      plan = .skip("its \(place) holds a secret that was redacted")
    } else {
      plan = .ask(request)
    }
  }

  /// - Returns: the names of fields that were taken out.
  private static func replaceFields(of request: inout HTTPRequest, by fields: HTTPFields) -> [String] {
    let given = Set(fields.map { $0.name.map(ASCII.lowercased) })
    var withheld: [String] = []
    request.fields.removeAll { field in
      if given.contains(field.name.map(ASCII.lowercased)) { return true }
      guard Placeholder.stands(in: field.value) else { return false }
      withheld.append(String(decoding: field.name, as: UTF8.self))
      return true
    }
    for field in fields { request.fields.append(field) }
    return withheld
  }

  /// What became of the shape of the answer.
  public func drifts(in live: RecordedResponse) -> [Drift] {
    AnswerDrift.drifts(recorded: answers.map(\.interaction.response), live: live)
  }
}
