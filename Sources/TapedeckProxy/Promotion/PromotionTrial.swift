public import TapedeckHTTP
public import TapedeckRecording

/// The recorded session, asked again of the resources that were inferred from it: what they answer as it was recorded
/// is known, and not only guessed.
public struct PromotionTrial: Sendable {
  /// What became of an exchange.
  public enum Outcome: Sendable, Equatable {
    /// Answered by a resource as it was recorded.
    case reproduced(resource: String)
    /// Answered by a resource, and in another way.
    case differs(resource: String, difference: String)
    /// No resource is for it: it stays with the cassette.
    case left
  }

  /// Of the exchanges of the session, in their order.
  public let outcomes: [Outcome]

  /// - Throws: `OverrideProblem` where the declarations are wrong.
  public init(_ declarations: [JSONValue], _ exchanges: [PromotedExchange]) throws(OverrideProblem) {
    let overrides = Overrides()
    try overrides.load(["resources": .array(declarations)])
    let responder = ResourceResponder(overrides.resources)
    outcomes = exchanges.map { Self.outcome(of: $0, responder) }
  }

  private static func outcome(of exchange: PromotedExchange, _ responder: ResourceResponder) -> Outcome {
    guard let answer = responder.respond(to: exchange.request), case .response(let response) = answer.content
    else { return .left }
    let resource = answer.explanation?.rule ?? ""
    guard response.head.status == exchange.status else {
      return .differs(
        resource: resource, difference: "status \(response.head.status) instead of \(exchange.status)")
    }
    guard let recorded = exchange.answer else { return .reproduced(resource: resource) }
    guard let given = try? JSONValue(parsing: response.body) else {
      return .differs(resource: resource, difference: "no JSON")
    }
    guard let place = JSONDifference.first(recorded, given) else { return .reproduced(resource: resource) }
    return .differs(resource: resource, difference: "another \(place)")
  }
}

extension PromotionTrial {
  /// How many of the exchanges that a resource answers it answers as recorded.
  public func counts(of resource: String) -> (reproduced: Int, all: Int) {
    outcomes.reduce(into: (0, 0)) { counts, outcome in
      switch outcome {
      case .reproduced(resource):
        counts.0 += 1
        counts.1 += 1
      case .differs(resource, _): counts.1 += 1
      default: break
      }
    }
  }
}

/// Where two JSON documents are not the same, whatever the order of members and the spelling of strings and numbers.
enum JSONDifference {
  /// A path like `$.items[2].name`; nil where there is no difference.
  static func first(_ left: JSONValue, _ right: JSONValue, at path: String = "$") -> String? {
    switch (left, right) {
    case (.array(let old), .array(let new)):
      if old.count != new.count {
        return "number of elements in \(path): \(new.count) instead of \(old.count)"
      }
      for (index, pair) in zip(old, new).enumerated() {
        if let found = first(pair.0, pair.1, at: "\(path)[\(index)]") { return found }
      }
      return nil
    case (.object(let old), .object(let new)):
      for member in old {
        let name = member.name.text
        guard let other = right[name] else { return "object, without \(path).\(name)" }
        if let found = first(member.value, other, at: "\(path).\(name)") { return found }
      }
      let names = Set(old.map(\.name.text))
      return new.first { !names.contains($0.name.text) }.map { "object, with \(path).\($0.name.text)" }
    case (.string(let old), .string(let new)): return old.text == new.text ? nil : path
    case (.number(let old), .number(let new)):
      return old == new || old.double != nil && old.double == new.double ? nil : path
    default: return left == right ? nil : path
    }
  }
}
