/// States that a store may start with, by name.
///
/// ```swift
/// let scenarios: Scenarios = [
///   "default": { store in try users.createList(20, in: store) },
///   "crowded": { store in try users.createList(20_000, in: store) },
/// ]
/// let store = try Store(scenarios: scenarios)                      // default
/// let store = try Store(scenarios: scenarios, start: "crowded")
/// let store = try Store(scenarios: scenarios, start: nil)          // empty, as a test wants it
/// ```
public struct Scenarios: Sendable {
  public typealias Scenario = @Sendable (Store) throws -> Void

  public static let defaultName = "default"

  private var scenarios: [String: Scenario] = [:]

  public init() {}

  public subscript(name: String) -> Scenario? {
    get { scenarios[name] }
    set { scenarios[name] = newValue }
  }

  public var names: [String] { scenarios.keys.sorted() }

  /// Adds what a scenario has to a store.
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
  /// A store that starts with a scenario.
  /// - Parameter name: nil for none: the store is empty. Without a scenario called `default`, that is no error.
  public convenience init(
    ids: IDStrategy = .shared, scenarios: Scenarios, start name: String? = Scenarios.defaultName
  ) throws {
    self.init(ids: ids)
    guard let name, name != Scenarios.defaultName || scenarios[name] != nil else { return }
    try scenarios.run(name, in: self)
  }
}
