internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckResources

/// A collection that a store serves, declared in JSON: `{"path": "/users", "seed": {"count": 20, "fields": {…}}}`.
struct ResourceRule: Sendable {
  let id: String
  let source: JSONValue
  let declaration: ResourceDeclaration
  /// Where it stands, like `resources[3]`.
  let place: String

  init(_ rule: RuleDeclaration) throws(OverrideProblem) {
    var reader = try RuleReader(rule.json, at: rule.place)
    _ = try reader.text("id")
    id = rule.id
    source = rule.json
    place = rule.place
    let look = try reader.choice("as", ResourceDeclaration.Representation.self) ?? .rest
    let path = try Self.path(&reader)
    let name = try reader.text("name") ?? Self.name(of: path, look)
    var declaration = ResourceDeclaration(id: id, path: path, name: name)
    declaration.representation = look
    try declaration.readPlace(&reader)
    try declaration.readObjects(&reader)
    try declaration.readSeed(&reader, files: rule.files)
    try declaration.readIDs(&reader)
    try declaration.readActions(&reader)
    try declaration.readAnswers(&reader)
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

  /// A path of a collection: steps and holes, and at least one step to be called by.
  static func pattern(_ path: String, _ place: String) throws(OverrideProblem) -> String {
    let pattern = try PathTemplate.pattern(path, at: place)
    let steps = path.split(separator: "/").map(String.init)
    guard !path.contains(where: { "?#*".contains($0) }), !steps.isEmpty else {
      throw OverrideProblem(place, "must be steps and holes, like \"/users/{userId}/posts\"")
    }
    guard pattern.match(Array("/id".utf8)[...])?["id"] == nil, !steps.contains("{id}"), !steps.contains(":id")
    else {
      throw OverrideProblem(
        place, "needs another name for {id}: the member that it stands for, like {userId}")
    }
    return "/" + steps.joined(separator: "/")
  }

  /// By the path, where nothing is said: of one object where the style speaks of one.
  private static func name(of path: String, _ look: ResourceDeclaration.Representation) -> String {
    let steps = path.split(separator: "/").filter { !$0.hasPrefix("{") && !$0.hasPrefix(":") }
    let name = steps.last.map(String.init) ?? "object"
    return look == .jsonAPI ? name : Inflector.english.singular(name)
  }
}

extension RuleReader {
  /// One of a few words.
  mutating func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ type: Value.Type
  ) throws(OverrideProblem) -> Value? {
    guard let text = try text(name) else { return nil }
    guard let value = Value(rawValue: text) else {
      let known = Value.allCases.map { $0.rawValue.debugDescription }.joined(separator: ", ")
      throw problem(name, "must be one of \(known)")
    }
    return value
  }

  mutating func texts(_ name: String) throws(OverrideProblem) -> [String]? {
    guard let items = try list(name) else { return nil }
    let texts = items.compactMap(\.text)
    guard texts.count == items.count else { throw problem(name, "must be a list of texts") }
    return texts
  }
}
