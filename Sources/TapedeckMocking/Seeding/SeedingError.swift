/// Why a factory, a scenario or a fixture could not do what it was asked to.
public enum SeedingError: Error, Equatable, Sendable {
  case unknownTrait(String, known: [String])
  /// Attributes that depend on one another; the first one again at the end.
  case cycle([String])
  case badAmount(Int)
  case unknownScenario(String, known: [String])
  case unknownFixtures(String, known: [String])
}

extension SeedingError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .unknownTrait(let name, let known): "there is no trait \(name.debugDescription); \(Self.list(known))"
    case .cycle(let attributes): "attributes depend on one another: \(attributes.joined(separator: " → "))"
    case .badAmount(let amount): "\(amount) is no number of entities"
    case .unknownScenario(let name, let known):
      "there is no scenario \(name.debugDescription); \(Self.list(known))"
    case .unknownFixtures(let name, let known):
      "there are no fixtures \(name.debugDescription); \(Self.list(known))"
    }
  }

  private static func list(_ names: [String]) -> String {
    names.isEmpty
      ? "there are none at all" : "there are \(names.map(\.debugDescription).joined(separator: ", "))"
  }
}
