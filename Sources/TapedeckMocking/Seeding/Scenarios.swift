/// Initial states of a store, by name.
///
/// ```swift
/// let scenarios: Scenarios = [
///   "default": { store in try users.createList(20, in: store) },
///   "crowded": { store in try users.createList(20_000, in: store) },
/// ]
/// let store = try Store(scenarios: scenarios)                      // default
/// let store = try Store(scenarios: scenarios, start: "crowded")
/// let store = try Store(scenarios: scenarios, start: nil)          // empty
/// ```
public struct Scenarios: Sendable {
  /// A function that fills a store.
  public typealias Scenario = @Sendable (Store) throws -> Void

  /// The name of the scenario that a store starts with, `default`.
  public static let defaultName = "default"

  private var scenarios: [String: Scenario] = [:]

  /// Creates an empty list.
  public init() {}

  /// The scenario with a name.
  public subscript(name: String) -> Scenario? {
    get { scenarios[name] }
    set { scenarios[name] = newValue }
  }

  /// The names in alphabetical order.
  public var names: [String] { scenarios.keys.sorted() }

  /// Runs a scenario in a store.
  /// - Throws: `SeedingError.unknownScenario`, or what the scenario throws.
  public func run(_ name: String = defaultName, in store: Store) throws {
    guard let scenario = scenarios[name] else {
      throw SeedingError.unknownScenario(name, known: names)
    }
    try scenario(store)
  }
}

extension Scenarios: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral scenarios: (String, Scenario)...) {
    for (name, scenario) in scenarios { self[name] = scenario }
  }
}

extension Store {
  /// Creates a store and runs a scenario in it.
  /// - Parameter name: `nil` for an empty store. A missing `default` scenario is not an error.
  public convenience init(
    ids: IDStrategy = .shared, scenarios: Scenarios, start name: String? = Scenarios.defaultName
  ) throws {
    self.init(ids: ids)
    guard let name, name != Scenarios.defaultName || scenarios[name] != nil else { return }
    try scenarios.run(name, in: self)
  }
}

/// The reason why a factory, a scenario or a fixture failed.
public enum SeedingError: Error, Equatable, Sendable {
  /// A trait that the factory does not have.
  case unknownTrait(String, known: [String])
  /// Attributes that depend on one another; the first one is repeated at the end.
  case cycle([String])
  /// A negative number of entities.
  case badAmount(Int)
  /// A scenario that does not exist.
  case unknownScenario(String, known: [String])
  /// A group of fixtures that does not exist.
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
