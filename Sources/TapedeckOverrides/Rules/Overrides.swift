internal import Synchronization
public import TapedeckHTTP
package import TapedeckSockets

/// The kinds of rules, by their names in overrides files and the admin API.
public enum OverrideKind: String, CaseIterable, Sendable {
  /// Declared responses.
  case routes
  /// Collections served by a store.
  case resources
  /// Changes to the responses of the rest of the chain, recorded or live.
  case patches
  /// Failures on a response's way to the client, whatever its source.
  case faults

  /// The word for a single rule.
  public var word: String { self == .patches ? "patch" : String(rawValue.dropLast()) }
}

/// The rules of one session that come before recordings and the origin, or change their responses. They can be changed
/// from any thread while the proxy runs; changes apply from the next request on.
public final class Overrides: Sendable {
  let routes: RuleList<RequestRule<RouteEffect>>
  let resources: RuleList<ResourceRule>
  let patches: RuleList<RequestRule<Patch>>
  let faults: RuleList<RequestRule<Fault>>
  /// The last number given to a rule without an id.
  private let number: Atomic<Int>
  private let changes = Atomic<Int>(0)

  /// Creates overrides without rules.
  public init() {
    (routes, resources, patches, faults) = (RuleList(), RuleList(), RuleList(), RuleList())
    number = Atomic(0)
  }

  private init(_ other: Overrides) {
    (routes, resources) = (other.routes.fresh(), other.resources.fresh())
    (patches, faults) = (other.patches.fresh(), other.faults.fresh())
    number = Atomic(other.number.load(ordering: .relaxed))
  }

  /// The same rules with counts at zero and the initial data, for another session.
  package func fresh() -> Overrides { Overrides(self) }

  private func list(_ kind: OverrideKind) -> any ChangeableRules {
    switch kind {
    case .routes: routes
    case .resources: resources
    case .patches: patches
    case .faults: faults
    }
  }

  // MARK: Reading

  /// A rule and its counts.
  public struct Rule: Sendable {
    /// The id of the rule.
    public let id: String
    /// The rule as it was declared.
    public let declaration: JSONValue
    /// Whether it comes from the overrides file, and is replaced when that is read again.
    public let isFromFile: Bool
    /// The number of requests that it matched.
    public let seen: Int
    /// The number of requests on which it acted.
    public let used: Int
    /// The number of requests in which a patch acted and found nothing to change.
    public let unchanged: Int
  }

  /// The rules of a kind, in the order they were declared.
  public func rules(_ kind: OverrideKind) -> [Rule] { list(kind).rules }

  /// All objects of a resource as a list; `nil` if no resource has the id.
  public func data(of resource: String) -> JSONValue? { resources.state.data(of: resource) }

  // MARK: Changing

  /// Adds a rule, or replaces the one with its id. Throws if the declaration is invalid, and then changes nothing.
  /// - Parameter id: replaces the declaration's member `id`; without either, the rule gets a number.
  /// - Returns: the rule's id, and whether the rule is new.
  @discardableResult
  public func put(
    _ kind: OverrideKind, _ json: JSONValue, id: String? = nil
  ) throws(OverrideProblem) -> (id: String, isNew: Bool) {
    let name = try Self.id(id ?? json["id"]?.text ?? nextID(kind))
    let isNew = try list(kind).put(RuleDeclaration(json: json, id: name, place: ""))
    changed()
    return (name, isNew)
  }

  private func nextID(_ kind: OverrideKind) -> String {
    let taken = Set(rules(kind).map(\.id))
    while true {
      let id = "\(kind.word)-\(number.wrappingAdd(1, ordering: .relaxed).newValue)"
      if !taken.contains(id) { return id }
    }
  }

  static func id(_ text: String, at place: String = "id") throws(OverrideProblem) -> String {
    let isPlain = text.utf8.allSatisfy {
      ASCII.isDigit($0) || (0x41...0x5A).contains($0 & 0xDF) || "-_.".utf8.contains($0)
    }
    guard isPlain, (1...100).contains(text.utf8.count), text != ".", text != ".." else {
      throw OverrideProblem(place, "must be 1 to 100 letters, digits, dots, hyphens and underscores")
    }
    return text
  }

  /// Removes a rule.
  /// - Returns: `false` if no rule has the id.
  @discardableResult
  public func remove(_ kind: OverrideKind, _ id: String) -> Bool {
    defer { changed() }
    return list(kind).remove(id)
  }

  /// Removes all rules of a kind.
  public func removeAll(_ kind: OverrideKind) {
    list(kind).removeAll()
    changed()
  }

  /// Sets all counts to zero, and restores the initial data.
  public func reset() { for kind in OverrideKind.allCases { list(kind).reset() } }

  /// Replaces the objects of a resource. Throws if the list is invalid, and then changes nothing.
  /// - Returns: `false` if no resource has the id.
  public func setData(of resource: String, to data: JSONValue) throws(OverrideProblem) -> Bool {
    try resources.state.setData(of: resource, to: data)
  }

  // MARK: The file

  /// Replaces all rules that came from an overrides file by those of a document, which may not name files. Throws if the
  /// document is invalid, and then changes nothing.
  public func load(_ document: JSONValue) throws(OverrideProblem) {
    let document = OverridesDocument(document, file: nil)
    if let problem = document.problems.first { throw problem }
    take(document)
  }

  /// Replaces the rules of the overrides file. Several sessions may share a document.
  package func take(_ document: OverridesDocument) {
    routes.take(document.routes)
    resources.take(document.resources)
    patches.take(document.patches)
    faults.take(document.faults)
    changed()
  }

  /// Takes the rules of a file that was saved from these: from now on they are the file's.
  package func adopt(_ document: OverridesDocument) {
    routes.adopt(document.routes)
    resources.adopt(document.resources)
    patches.adopt(document.patches)
    faults.adopt(document.faults)
    changed()
  }

  private func changed() { changes.add(1, ordering: .releasing) }
}

/// The links for the responder chain of one loop. A link keeps the rules it was made with, and a kind without rules has
/// no link, so the chain must be rebuilt when `version` changes.
extension Overrides {
  package var version: Int { changes.load(ordering: .acquiring) }

  package func routeLink(on loop: EventLoop) -> (any Responder)? {
    routes.index.map { RouteRuleResponder($0, routes.state, loop: loop) }
  }

  package var resourceLink: (any Responder)? {
    resources.index.map { ResourceRuleResponder($0, resources.state) }
  }

  /// The chain with patches applied to its responses.
  package func patching(_ chain: any Responder, on loop: EventLoop) -> any Responder {
    patches.index.map { EffectResponder($0, patches.state, before: chain, loop: loop) } ?? chain
  }

  /// The chain with faults applied to its responses.
  package func faulting(_ chain: any Responder, on loop: EventLoop) -> any Responder {
    faults.index.map { EffectResponder($0, faults.state, before: chain, loop: loop) } ?? chain
  }

  /// The JSON schema of overrides files (draft 2020-12), for editors and other programs.
  ///
  /// Tapedeck refuses everything that the schema refuses, and checks more than a schema can express: that files exist,
  /// ids are unique, and templates and paths are valid.
  package static var schema: JSONValue {
    (try? JSONValue(parsing: PackageResources.overrides_schema_json)) ?? .null
  }
}
