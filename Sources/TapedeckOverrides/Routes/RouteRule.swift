internal import TapedeckHTTP
internal import TapedeckMocking

/// A route declared in JSON: a request condition, and the answer, or several in turn.
struct RouteRule: OverrideRule {
  static let kind = OverrideKind.routes

  /// What comes after the last answer of a sequence.
  private enum SequenceEnd: String, CaseIterable {
    case `repeat`, loop, pass
  }

  let id: String
  let source: JSONValue
  let condition: RequestCondition
  let limits: RuleUsage.Limits
  let identity = RuleIdentity()
  private let answers: [RuleAnswer]
  private let loops: Bool

  init(_ declaration: RuleDeclaration) throws(OverrideProblem) {
    var reader = try RuleReader(declaration.json, at: declaration.place)
    _ = try reader.text("id")
    id = declaration.id
    source = declaration.json
    condition = try RequestCondition(&reader, forRoute: true)
    var limits = try RuleUsage.Limits(&reader)
    let end = try Self.end(&reader)
    answers = try Self.answers(&reader, condition.path, declaration.files)
    try reader.finish()
    loops = end == .loop
    // A sequence that lets go is over after so many answers.
    if end == .pass { limits.times = min(limits.times ?? .max, answers.count) }
    self.limits = limits
  }

  private static func end(_ reader: inout RuleReader) throws(OverrideProblem) -> SequenceEnd? {
    guard let word = try reader.text("onEnd") else { return nil }
    guard let end = SequenceEnd(rawValue: word) else {
      throw reader.problem("onEnd", "must be \"repeat\" (the last answer stays), \"loop\" or \"pass\"")
    }
    guard reader.has("sequence") else { throw reader.problem("onEnd", "needs a sequence beside it") }
    return end
  }

  private static func answers(
    _ reader: inout RuleReader, _ path: PathPattern, _ files: RuleFiles?
  ) throws(OverrideProblem) -> [RuleAnswer] {
    guard let items = try reader.list("sequence") else {
      return [try RuleAnswer(&reader, path: path, files: files).madeReady]
    }
    guard !items.isEmpty else { throw reader.problem("sequence", "must hold an answer at least") }
    for name in RuleAnswer.members where reader.has(name) {
      throw reader.problem(name, "belongs into the answers of the sequence")
    }
    var answers: [RuleAnswer] = []
    for (index, item) in items.enumerated() {
      var inner = try RuleReader(item, at: "\(reader.place(of: "sequence"))[\(index)]")
      answers.append(try RuleAnswer(&inner, path: path, files: files).madeReady)
      try inner.finish()
    }
    return answers
  }

  /// - Parameters:
  ///   - turn: which of its requests this is, from 1.
  ///   - use: which of those that it answers.
  func answer(to request: OverrideRequest, turn: Int, use: Int) -> RouteRuleAnswer {
    let answer = answers[loops ? (use - 1) % answers.count : min(use, answers.count) - 1]
    let content = answer.content(
      { RequestValues(request: request, components: condition.components(of: request)) },
      to: request.http.method)
    var generator = limits.generator(beyondDiceOf: turn)
    let delay = answer.delay?.nanoseconds(using: &generator) ?? 0
    return RouteRuleAnswer(
      content: content, delayNanoseconds: delay, fault: answer.fault.map { ($0, generator) })
  }
}

/// What a route declared in JSON has for a request.
struct RouteRuleAnswer {
  var content: ServedResponse.Content
  /// How long it waits with it.
  var delayNanoseconds: Int64
  /// What goes wrong on its way, and what decides all that is left to chance in it.
  var fault: (fault: Fault, generator: SplitMix64)?
}
