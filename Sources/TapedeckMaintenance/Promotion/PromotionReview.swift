package import TapedeckHTTP
package import TapedeckOverrides
import TapedeckRecording

/// Tests the resources of a promotion: sends them the recorded requests, and compares the responses.
package struct PromotionReview: Sendable {
  /// The outcome of one exchange.
  package struct Outcome: Sendable, Equatable {
    /// The resource that responds; `nil` if the exchange stays with the cassette.
    package var resource: String?
    /// The difference from the recorded response, if any.
    package var difference: String?
    /// Whether status and body are as recorded.
    var isAlike = true
  }

  package struct Verdict: Sendable {
    package let resource: PromotedResource
    /// How much of it was seen, times the share of exchanges that it reproduces, from 0 to 1.
    package let confidence: Double
    package let reproduced: Int
    package let responded: Int
    package fileprivate(set) var isTaken: Bool
  }

  package let exchanges: [PromotedExchange]
  package private(set) var verdicts: [Verdict]
  /// The outcomes of the exchanges with the selected resources.
  package private(set) var outcomes: [Outcome]

  /// - Parameter minimum: resources with less confidence are left out.
  package init(_ promotion: Promotion, minimum: Double) throws(OverrideProblem) {
    exchanges = promotion.exchanges
    let resources = Self.sound(promotion.resources)
    let trial = try Self.outcomes(of: resources, exchanges)
    verdicts = resources.map { resource in
      let own = trial.filter { $0.resource == resource.id }
      let share = own.isEmpty ? 1 : Double(own.count(where: \.isAlike)) / Double(own.count)
      let confidence = resource.confidence * share
      return Verdict(
        resource: resource, confidence: confidence, reproduced: own.count { $0.difference == nil },
        responded: own.count, isTaken: confidence >= minimum)
    }
    // Resources within one that is left out are left out too.
    let taken = Self.closed(verdicts.filter(\.isTaken).map(\.resource))
    for index in verdicts.indices { verdicts[index].isTaken = taken.contains(verdicts[index].resource.id) }
    outcomes = trial
    if !verdicts.allSatisfy(\.isTaken) { outcomes = try Self.outcomes(of: takenResources, exchanges) }
  }

  private var takenResources: [PromotedResource] { verdicts.filter(\.isTaken).map(\.resource) }

  package var document: JSONValue { Self.document(takenResources) }

  private static func document(_ resources: [PromotedResource]) -> JSONValue {
    ["resources": .array(resources.map(\.declaration))]
  }

  /// The resources with valid declarations whose dependencies are valid as well. Recorded responses may contain values
  /// that no declaration accepts.
  private static func sound(_ resources: [PromotedResource]) -> [PromotedResource] {
    let sound = resources.filter { resource in
      guard resource.needs.isEmpty else { return true }
      do throws(OverrideProblem) { try Overrides().load(document([resource])) } catch { return false }
      return true
    }
    let closed = closed(sound)
    return sound.filter { closed.contains($0.id) }
  }

  /// The ids of the resources whose dependencies are among them.
  private static func closed(_ resources: [PromotedResource]) -> Set<String> {
    var ids = Set(resources.map(\.id))
    while true {
      let rest = Set(resources.filter { ids.contains($0.id) && $0.needs.allSatisfy(ids.contains) }.map(\.id))
      if rest == ids { return ids }
      ids = rest
    }
  }

  // MARK: The trial

  private static func outcomes(
    of resources: [PromotedResource], _ exchanges: [PromotedExchange]
  ) throws(OverrideProblem) -> [Outcome] {
    let overrides = Overrides()
    try overrides.load(document(resources))
    let responder = overrides.resourceLink
    return exchanges.map { outcome(of: $0, responder) }
  }

  private static func outcome(of exchange: PromotedExchange, _ responder: (any Responder)?) -> Outcome {
    let decisions = DecisionCollector()
    guard let reply = try? responder?.respond(to: exchange.request, decisions: decisions),
      case .response(let response) = reply.content
    else { return Outcome() }
    let resource = decisions.decisions.responded?.rule ?? ""
    func differs(_ difference: String) -> Outcome {
      Outcome(resource: resource, difference: difference, isAlike: false)
    }
    guard response.head.status == exchange.status else {
      return differs("status \(response.head.status) instead of \(exchange.status)")
    }
    if let recorded = exchange.response {
      guard let given = try? JSONValue(parsing: response.body) else { return differs("no JSON") }
      var comparison = JSONComparison(maximumDifferences: 1)
      comparison.compare(recorded.adjusted(to: given), given, path: "$")
      if let difference = comparison.differences.first { return differs("\(difference)") }
    }
    let (recorded, given) = (exchange.responseFields, response.head.fields)
    let lost = meaningful.filter { recorded.contains($0) && !given.contains($0) }.compactMap { name in
      recorded.index(of: name).map { String(decoding: recorded.name(at: $0), as: UTF8.self) }
    }
    return Outcome(
      resource: resource, difference: lost.isEmpty ? nil : "without \(lost.joined(separator: ", "))")
  }

  /// The fields of a response that clients act on.
  private static let meaningful: [StaticString] = [
    "link", "etag", "last-modified", "set-cookie", "content-range", "retry-after", "www-authenticate",
  ]
}

extension JSONValue {
  /// The recorded value as a resource would send it: numbers in its notation, and paths instead of the origin's URLs, since
  /// a resource does not know the address of the proxy.
  fileprivate func adjusted(to given: JSONValue) -> JSONValue {
    switch (self, given) {
    case (.array(let old), .array(let new)) where old.count == new.count:
      return .array(zip(old, new).map { $0.adjusted(to: $1) })
    case (.object(let old), .object):
      return .object(
        old.map { member in
          JSONMember(member.name, given[member.name.text].map(member.value.adjusted) ?? member.value)
        })
    case (.number(let old), .number(let new)):
      return old.double != nil && old.double == new.double ? given : self
    case (.string(let old), .string(let new)) where new.text.hasPrefix("/") && old.text.hasSuffix(new.text):
      let base = old.text.dropLast(new.text.count)
      let isOrigin = ["http://", "https://"].contains {
        base.hasPrefix($0) && !base.dropFirst($0.count).contains("/")
      }
      return isOrigin ? given : self
    default: return self
    }
  }
}
