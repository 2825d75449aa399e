internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckResources

/// Reads the members about objects: their paths, their ids and names, and the defaults of new ones.
extension ResourceDeclaration {
  mutating func readPlace(_ reader: inout RuleReader) throws(OverrideProblem) {
    if var inner = try reader.object("within") {
      guard let resource = try inner.text("resource"), let member = try inner.text("member") else {
        throw reader.problem("within", "needs a resource and the member of its objects that is the list")
      }
      try inner.finish()
      (within, listMember) = (resource, member)
    }
    let place = reader.place(of: "lists")
    for (index, path) in (try reader.texts("lists") ?? []).enumerated() {
      guard path.hasPrefix("/") else { throw OverrideProblem("\(place)[\(index)]", "must start with /") }
      lists.append(try ResourceRule.pattern(path, "\(place)[\(index)]"))
    }
  }

  mutating func readObjects(_ reader: inout RuleReader) throws(OverrideProblem) {
    idMember = try reader.text("idMember") ?? "id"
    if let value = reader.value("defaults") {
      guard let members = value.members else { throw reader.problem("defaults", "must be an object") }
      defaults = members
    }
    required = try reader.texts("required") ?? []
    hidden = Set(try reader.texts("hidden") ?? [])
    if hidden.contains(idMember) { throw reader.problem("hidden", "cannot hide the \(idMember)") }
    beginsWithNewest = try reader.word("newest", of: ["first", "last"]) == "first"
  }

  mutating func readIDs(_ reader: inout RuleReader) throws(OverrideProblem) {
    // Without this member, new ids are of the same kind as those of the seeds.
    let given = seeds.compactMap { $0[idMember] }
    ids = try reader.choice("ids", IDKind.self) ?? IDKind(of: given)
    let values = try reader.list("nextIDs") ?? []
    nextIDs = values.compactMap(\.idText)
    guard nextIDs.count == values.count else {
      throw reader.problem("nextIDs", "must be a list of texts or whole numbers")
    }
    guard ids == .number else { return }
    if let text = (given.compactMap(\.text) + nextIDs).first(where: { Int($0) == nil }) {
      throw reader.problem("ids", "are numbers, and \(text.debugDescription) is not one")
    }
  }

  mutating func readActions(_ reader: inout RuleReader) throws(OverrideProblem) {
    actions = try Self.actions(&reader, "only") ?? .all
    actions.subtract(try Self.actions(&reader, "except") ?? [])
    passes = Set(try reader.texts("passes") ?? [])
  }

  private static func actions(
    _ reader: inout RuleReader, _ name: String
  ) throws(OverrideProblem) -> ResourceActions? {
    guard let words = try reader.texts(name) else { return nil }
    let known: [(String, ResourceActions)] = [
      ("index", .index), ("show", .show), ("create", .create), ("update", .update), ("delete", .delete),
    ]
    var actions: ResourceActions = []
    for word in words {
      guard let action = known.first(where: { $0.0 == word })?.1 else {
        let names = known.map { $0.0.debugDescription }.joined(separator: ", ")
        throw reader.problem(name, "\(word.debugDescription) is not an action; known are \(names)")
      }
      actions.insert(action)
    }
    return actions
  }

  /// Checks members that depend on one another.
  func check(_ reader: inout RuleReader) throws(OverrideProblem) {
    let parameters = Self.parameters(of: path)
    if within != nil {
      guard !parameters.isEmpty else {
        throw reader.problem("path", "needs a parameter for the object that the list is in, like {post}")
      }
      guard seeds.isEmpty else {
        throw reader.problem("seed", "excludes within: the objects are in those of the other resource")
      }
    }
    if representation == .jsonAPI {
      for name in ["within", "lists", "envelope", "answers", "pages", "passes", "put"] where reader.has(name)
      {
        throw reader.problem(name, "does not go with \"as\": \"json:api\", which defines this itself")
      }
      guard parameters.isEmpty else { throw reader.problem("path", "cannot have parameters in JSON:API") }
    }
    do throws(SeedProblem) { try checkSeeds() } catch {
      throw OverrideProblem("\(reader.place(of: "seed"))[\(error.index)]", error.text)
    }
  }
}
