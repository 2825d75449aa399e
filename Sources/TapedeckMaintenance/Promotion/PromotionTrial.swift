package import TapedeckHTTP
package import TapedeckOverrides

/// Sends the recorded requests to the resources that were inferred from them, and compares the responses.
package struct PromotionTrial: Sendable {
  /// What became of an exchange.
  package enum Outcome: Sendable, Equatable {
    /// A resource gives the recorded response.
    case reproduced(resource: String)
    /// A resource gives another response.
    case differs(resource: String, difference: String)
    /// A resource gives the recorded body, but not all fields that clients act on.
    case lacks(resource: String, fields: [String])
    /// No resource is responsible: the exchange stays with the cassette.
    case left
  }

  /// Of the exchanges of the session, in their order.
  package let outcomes: [Outcome]

  /// - Throws: `OverrideProblem` where the declarations are wrong.
  package init(_ declarations: [JSONValue], _ exchanges: [PromotedExchange]) throws(OverrideProblem) {
    let overrides = Overrides()
    try overrides.load(["resources": .array(declarations)])
    let responder = overrides.resourceLink
    outcomes = exchanges.map { Self.outcome(of: $0, responder) }
  }

  private static func outcome(of exchange: PromotedExchange, _ responder: (any Responder)?) -> Outcome {
    let decisions = DecisionCollector()
    guard let answer = try? responder?.respond(to: exchange.request, decisions: decisions),
      case .response(let response) = answer.content
    else { return .left }
    let resource = decisions.decisions.responded?.rule ?? ""
    guard response.head.status == exchange.status else {
      return .differs(
        resource: resource, difference: "status \(response.head.status) instead of \(exchange.status)")
    }
    let lost = Self.lostFields(exchange.responseFields, response.head.fields)
    let alike =
      lost.isEmpty ? Outcome.reproduced(resource: resource) : .lacks(resource: resource, fields: lost)
    guard let recorded = exchange.response else { return alike }
    guard let given = try? JSONValue(parsing: response.body) else {
      return .differs(resource: resource, difference: "no JSON")
    }
    guard let place = JSONDifference.first(recorded, given) else { return alike }
    return .differs(resource: resource, difference: "another \(place)")
  }

  /// Those fields of a response that clients act on.
  private static let meaningful: [StaticString] = [
    "link", "etag", "last-modified", "set-cookie", "content-range", "retry-after", "www-authenticate",
  ]

  private static func lostFields(_ recorded: HTTPFields, _ given: HTTPFields) -> [String] {
    meaningful.filter { recorded.contains($0) && !given.contains($0) }.compactMap { name in
      recorded.index(of: name).map { String(decoding: recorded.name(at: $0), as: UTF8.self) }
    }
  }
}

extension PromotionTrial {
  /// How many of the exchanges that a resource answers it answers as recorded.
  /// - Returns: `alike` counts those as well that lack nothing but fields.
  package func counts(of resource: String) -> (reproduced: Int, alike: Int, all: Int) {
    outcomes.reduce(into: (0, 0, 0)) { counts, outcome in
      switch outcome {
      case .reproduced(resource): counts = (counts.0 + 1, counts.1 + 1, counts.2 + 1)
      case .lacks(resource, _): counts = (counts.0, counts.1 + 1, counts.2 + 1)
      case .differs(resource, _): counts.2 += 1
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
    case (.string(let old), .string(let new)): return isSame(old.text, new.text) ? nil : path
    case (.number(let old), .number(let new)):
      return old == new || old.double != nil && old.double == new.double ? nil : path
    default: return left == right ? nil : path
    }
  }

  /// A client without an address of its own gets paths where the origin gave whole addresses.
  private static func isSame(_ recorded: String, _ given: String) -> Bool {
    guard recorded != given else { return true }
    guard given.hasPrefix("/"), recorded.hasSuffix(given) else { return false }
    let base = recorded.dropLast(given.count)
    return ["http://", "https://"].contains { base.hasPrefix($0) && !base.dropFirst($0.count).contains("/") }
  }
}
