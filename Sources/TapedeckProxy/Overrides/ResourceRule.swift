internal import TapedeckHTTP

/// A collection that a store serves, declared in JSON: `{"path": "/users", …}`.
struct ResourceRule: Sendable {
  static let kind = OverrideKind.resources

  let id: String
  let source: JSONValue
  /// Of the collection.
  let path: String

  init(_ declaration: RuleDeclaration) throws(OverrideProblem) {
    var reader = try RuleReader(declaration.json, at: declaration.place)
    _ = try reader.text("id")
    id = declaration.id
    source = declaration.json
    guard let path = try reader.text("path"), path.hasPrefix("/") else {
      throw reader.problem("path", "must be a text that starts with /, like \"/users\"")
    }
    self.path = path
    try reader.finish()
  }
}
