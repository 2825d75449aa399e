package import TapedeckHTTP
package import TapedeckOverrides

/// The resources of a promotion, with the outcome of the trial, and which of them are taken.
package struct PromotionReview: Sendable {
  package struct Verdict: Sendable {
    package let resource: PromotedResource
    /// How much of it was seen, times the share of exchanges that it reproduces, from 0 to 1.
    package let confidence: Double
    package let reproduced: Int
    package let answered: Int
    package let isTaken: Bool
  }

  package let exchanges: [PromotedExchange]
  package let verdicts: [Verdict]
  /// Of the exchanges, with the resources that are taken.
  package let outcomes: [PromotionTrial.Outcome]

  /// - Parameter minimum: resources of less confidence are left out.
  package init(_ promotion: Promotion, minimum: Double) throws(OverrideProblem) {
    exchanges = promotion.exchanges
    let resources = Self.sound(promotion.resources)
    let trial = try PromotionTrial(resources.map(\.declaration), promotion.exchanges)
    var verdicts: [Verdict] = []
    for resource in resources {
      let counts = trial.counts(of: resource.id)
      let share = counts.all == 0 ? 1 : Double(counts.alike) / Double(counts.all)
      let confidence = resource.confidence * share
      verdicts.append(
        Verdict(
          resource: resource, confidence: confidence, reproduced: counts.reproduced, answered: counts.all,
          isTaken: confidence >= minimum))
    }
    self.verdicts = Self.withoutOrphans(verdicts)
    let isWhole = self.verdicts.allSatisfy(\.isTaken)
    outcomes =
      isWhole
      ? trial.outcomes : try PromotionTrial(Self.declarations(self.verdicts), promotion.exchanges).outcomes
  }

  /// The resources that can be declared, with all that they need: responses may hold what no declaration accepts.
  private static func sound(_ resources: [PromotedResource]) -> [PromotedResource] {
    var sound = resources.filter { resource in
      let overrides = Overrides()
      guard resource.needs.isEmpty else { return true }
      do throws(OverrideProblem) { try overrides.load(["resources": [resource.declaration]]) } catch {
        return false
      }
      return true
    }
    while true {
      let ids = Set(sound.map(\.id))
      let rest = sound.filter { $0.needs.allSatisfy(ids.contains) }
      if rest.count == sound.count { return sound }
      sound = rest
    }
  }

  /// Leaves out what lies within a resource that is left out.
  private static func withoutOrphans(_ verdicts: [Verdict]) -> [Verdict] {
    var taken = Set(verdicts.filter(\.isTaken).map(\.resource.id))
    while true {
      let rest = taken.filter { id in
        verdicts.first { $0.resource.id == id }.map { $0.resource.needs.allSatisfy(taken.contains) } ?? false
      }
      if rest == taken { break }
      taken = rest
    }
    return verdicts.map {
      Verdict(
        resource: $0.resource, confidence: $0.confidence, reproduced: $0.reproduced, answered: $0.answered,
        isTaken: taken.contains($0.resource.id))
    }
  }

  private static func declarations(_ verdicts: [Verdict]) -> [JSONValue] {
    verdicts.filter(\.isTaken).map(\.resource.declaration)
  }

  /// The overrides file.
  package var document: JSONValue { ["resources": .array(Self.declarations(verdicts))] }
}
