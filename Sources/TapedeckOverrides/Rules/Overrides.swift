internal import Synchronization
public import TapedeckHTTP

/// What goes before recordings and the origin, or is laid over what they answer, as it stands for one session: changed
/// from any thread while the proxy runs, seen by the next request.
public final class Overrides: Sendable {
  let routes: RuleList<RouteRule>
  let resources: ResourceList
  let patches: RuleList<PatchRule>
  let faults: RuleList<FaultRule>
  /// Numbers rules that have no id of their own.
  private let number: Atomic<Int>

  /// Creates an empty list.
  public convenience init() {
    self.init(
      routes: RuleList(), resources: ResourceList(), patches: RuleList(), faults: RuleList(), number: 0)
  }

  private init(
    routes: RuleList<RouteRule>, resources: ResourceList, patches: RuleList<PatchRule>,
    faults: RuleList<FaultRule>, number: Int
  ) {
    self.routes = routes
    self.resources = resources
    self.patches = patches
    self.faults = faults
    self.number = Atomic(number)
  }

  /// The same rules with their counts at zero and their data as in the beginning, for another session.
  package func fresh() -> Overrides {
    Overrides(
      routes: routes.fresh(), resources: resources.fresh(), patches: patches.fresh(), faults: faults.fresh(),
      number: number.load(ordering: .relaxed))
  }

  // MARK: Looking

  /// A rule, for people.
  public struct Rule: Sendable {
    /// The id of the rule.
    public let id: String
    /// As it was declared.
    public let declaration: JSONValue
    /// Whether it goes when the overrides file is read anew.
    public let isFromFile: Bool
    /// Requests that it was for; and those of them in which it acted.
    public let seen: Int
    /// How often the rule was used.
    public let used: Int
    /// Those in which a patch found nothing that it could change.
    public let unchanged: Int
  }

  /// The rules of a kind, in the order of their declaration.
  public func rules(_ kind: OverrideKind) -> [Rule] {
    switch kind {
    case .routes: Self.shown(routes)
    case .patches: Self.shown(patches)
    case .faults: Self.shown(faults)
    case .resources:
      resources.entries.map {
        Rule(
          id: $0.rule.id, declaration: $0.rule.source, isFromFile: $0.isFromFile, seen: 0, used: 0,
          unchanged: 0)
      }
    }
  }

  private static func shown<R: OverrideRule>(_ list: RuleList<R>) -> [Rule] {
    list.entries.map { entry in
      let counts = list.usages.counts(of: entry.rule)
      return Rule(
        id: entry.rule.id, declaration: entry.rule.source, isFromFile: entry.isFromFile, seen: counts.seen,
        used: counts.used, unchanged: counts.unchanged)
    }
  }

  // MARK: Changing

  /// Adds a rule, or puts it in the place of the one with its id.
  /// - Parameters:
  ///   - id: instead of the declaration's own member `id`; without both it gets a number.
  /// - Returns: its id, and whether it is new. Throws what is wrong with it, and then changes nothing.
  @discardableResult
  public func put(
    _ kind: OverrideKind, _ json: JSONValue, id: String? = nil
  ) throws(OverrideProblem) -> (id: String, isNew: Bool) {
    let name = try Self.id(id ?? json["id"]?.text ?? nextID(kind))
    let declaration = RuleDeclaration(json: json, id: name, place: "")
    let isNew =
      switch kind {
      case .routes: routes.put(try RouteRule(declaration))
      case .resources: try resources.put(try ResourceRule(declaration))
      case .patches: patches.put(try PatchRule(declaration))
      case .faults: faults.put(try FaultRule(declaration))
      }
    return (name, isNew)
  }

  private func nextID(_ kind: OverrideKind) -> String {
    let taken = Set(rules(kind).map(\.id))
    while true {
      let id = "\(kind.word)-\(number.wrappingAdd(1, ordering: .relaxed).newValue)"
      if !taken.contains(id) { return id }
    }
  }

  static func id(_ text: String) throws(OverrideProblem) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
        || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF)
    }
    guard isPlain, (1...100).contains(text.utf8.count), text != ".", text != ".." else {
      throw OverrideProblem("id", "must be 1 to 100 letters, digits, dots, hyphens and underscores")
    }
    return text
  }

  /// False when there was none.
  @discardableResult
  public func remove(_ kind: OverrideKind, _ id: String) -> Bool {
    switch kind {
    case .routes: routes.remove(id)
    case .resources: resources.remove(id)
    case .patches: patches.remove(id)
    case .faults: faults.remove(id)
    }
  }

  /// Removes all rules of a kind.
  public func removeAll(_ kind: OverrideKind) {
    switch kind {
    case .routes: routes.removeAll()
    case .resources: resources.removeAll()
    case .patches: patches.removeAll()
    case .faults: faults.removeAll()
    }
  }

  /// All counts at zero, and all data as it was in the beginning.
  public func reset() {
    routes.reset()
    resources.reset()
    patches.reset()
    faults.reset()
  }

  // MARK: Data

  /// All objects of a resource as a list; nil where there is none of that id.
  public func data(of resource: String) -> JSONValue? { resources.data(of: resource) }

  /// Puts a list of objects in the place of those that a resource holds. Throws what is wrong with it, and then changes
  /// nothing.
  /// - Returns: false where there is no resource of that id.
  public func setData(of resource: String, to data: JSONValue) throws(OverrideProblem) -> Bool {
    try resources.setData(of: resource, to: data)
  }

  // MARK: The file

  /// Puts the rules of an overrides file in the place of those it had before. Throws what is wrong with it, and then
  /// changes nothing.
  /// It may name no files.
  public func load(_ document: JSONValue) throws(OverrideProblem) {
    let document = OverridesDocument(document, files: nil)
    if let problem = document.problems.first { throw problem }
    take(document)
  }

  /// Puts rules that are in order in the place of those the file had before.
  package func take(_ document: OverridesDocument) { take(SharedDocument(document)) }

  /// Puts in the rules of a file that other sessions take as well.
  package func take(_ document: SharedDocument) {
    routes.take(document.routes)
    resources.take(document.resources)
    patches.take(document.patches)
    faults.take(document.faults)
  }

  /// What a file declares, for several sessions.
  package struct SharedDocument: Sendable {
    let routes: FileRules<RouteRule>
    let resources: FileResources
    let patches: FileRules<PatchRule>
    let faults: FileRules<FaultRule>

    package init(_ document: OverridesDocument) {
      routes = FileRules(document.routes)
      resources = FileResources(document.resources)
      patches = FileRules(document.patches)
      faults = FileRules(document.faults)
    }

    /// To be called when all sessions have taken it: what dropped sessions had would stay with it.
    package func forget() {
      routes.forget()
      resources.forget()
      patches.forget()
      faults.forget()
    }
  }
}

extension OverrideKind {
  /// Of a single rule.
  public var word: String {
    switch self {
    case .routes: "route"
    case .resources: "resource"
    case .patches: "patch"
    case .faults: "fault"
    }
  }
}
