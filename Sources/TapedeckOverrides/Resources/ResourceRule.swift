internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckResources

/// A collection that a store serves, declared in JSON: `{"path": "/users", "seed": {"count": 20, "fields": {…}}}`.
final class ResourceRule: OverrideRule {
  typealias State = ResourceData

  static let kind = OverrideKind.resources

  let id: String
  let source: JSONValue
  let declaration: ResourceDeclaration
  /// The place of the declaration, like `resources[3]`.
  private let place: String

  init(_ rule: RuleDeclaration) throws(OverrideProblem) {
    var reader = try RuleReader(rule.json, at: rule.place)
    _ = try reader.text("id")
    id = rule.id
    source = rule.json
    place = rule.place
    let representation = try reader.choice("as", ResourceDeclaration.Representation.self) ?? .rest
    let path = try Self.path(&reader)
    let name = try reader.text("name") ?? Self.name(of: path, representation)
    var declaration = ResourceDeclaration(id: id, path: path, name: name)
    declaration.representation = representation
    if var when = try reader.object("when") {
      declaration.hosts = try when.read("host", HostCondition.init)?.patterns ?? []
      try when.finish()
    }
    try declaration.readPlace(&reader)
    try declaration.readObjects(&reader)
    try declaration.readSeed(&reader, rule.file)
    try declaration.readIDs(&reader)
    try declaration.readActions(&reader)
    try declaration.readResponses(&reader)
    try reader.finish()
    try declaration.check(&reader)
    self.declaration = declaration
  }

  private static func path(_ reader: inout RuleReader) throws(OverrideProblem) -> String {
    guard let path = try reader.text("path"), path.hasPrefix("/") else {
      throw reader.problem("path", "must be a text that starts with /, like \"/users\"")
    }
    return try pattern(path, reader.place(of: "path"))
  }

  /// The path of a collection: segments and parameters, with at least one segment to take the name from.
  static func pattern(_ path: String, _ place: String) throws(OverrideProblem) -> String {
    let pattern = try PathPattern(declared: path, at: place)
    let segments = path.split(separator: "/").map(String.init)
    guard !path.contains(where: { "?#*".contains($0) }), !segments.isEmpty else {
      throw OverrideProblem(place, "must be segments and parameters, like \"/users/{userId}/posts\"")
    }
    guard pattern.match(Array("/id".utf8)[...])?["id"] == nil, !pattern.parameters.contains("id") else {
      throw OverrideProblem(
        place, "needs another name for {id}: the member that it stands for, like {userId}")
    }
    return "/" + segments.joined(separator: "/")
  }

  /// The default name: in the singular if the representation names single objects.
  private static func name(of path: String, _ representation: ResourceDeclaration.Representation) -> String {
    let segments = path.split(separator: "/").filter { !$0.hasPrefix("{") && !$0.hasPrefix(":") }
    let name = segments.last.map(String.init) ?? "object"
    return representation == .jsonAPI ? name : Inflector.english.singular(name)
  }

  // MARK: Other resources

  static func index(of rules: [ResourceRule]) -> ResourceIndex { ResourceIndex(rules) }

  static func problem(
    of rule: ResourceRule, among entries: [RuleTable<ResourceRule>.Entry]
  ) -> OverrideProblem? {
    rule.problem(in: ResourceCatalog(entries.map(\.rule.declaration)))
  }

  /// A conflict of the resource with the others of a catalog.
  func problem(in catalog: ResourceCatalog) -> OverrideProblem? {
    let prefix = place.isEmpty ? "" : "\(place)."
    if let within = declaration.within, catalog.home(of: declaration) == nil {
      return OverrideProblem(
        "\(prefix)within.resource", "\(within.debugDescription) is not a resource that holds objects")
    }
    func hasType(_ other: ResourceDeclaration) -> Bool {
      other.representation == .jsonAPI && other.name == declaration.name
    }
    guard hasType(declaration), catalog.declarations.count(where: hasType) > 1 else { return nil }
    return OverrideProblem(
      "\(prefix)name", "\(declaration.name.debugDescription) is the type of another resource as well")
  }
}

/// The resources at one moment.
final class ResourceIndex: Sendable {
  let catalog: ResourceCatalog
  /// Their paths, for a quick check that neither allocates nor locks: most requests are for none of them.
  let tree: PathTree
  /// Those of some hosts only, with their paths.
  private let ofHosts: [(declaration: ResourceDeclaration, tree: PathTree)]

  init(_ rules: [ResourceRule]) {
    let declarations = rules.map(\.declaration)
    catalog = ResourceCatalog(declarations)
    tree = Self.tree(of: declarations)
    ofHosts = declarations.filter { !$0.hosts.isEmpty }.map { ($0, Self.tree(of: [$0])) }
  }

  private static func tree(of declarations: [ResourceDeclaration]) -> PathTree {
    PathTree(
      declarations.flatMap { [$0.path] + $0.lists }.map { path in
        ((try? PathPattern(path))?.segments ?? []) + [.rest("rest")]
      })
  }

  /// The resources at the request's path that are served at other hosts only, and their conditions.
  func unmet(by request: HTTPRequest) -> [(id: String, condition: String)] {
    ofHosts.filter { $0.tree.mayFit(target: request.target) && !$0.declaration.isServed(at: request.origin) }
      .map { ($0.declaration.id, HostCondition($0.declaration.hosts).description) }
  }
}
