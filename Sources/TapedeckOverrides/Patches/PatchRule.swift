internal import TapedeckHTTP

/// A change to what the rest of the chain answers, recorded or live, apart from the recording.
struct PatchRule: OverrideRule {
  static let kind = OverrideKind.patches

  let id: String
  let source: JSONValue
  let condition: RequestCondition
  let patch: Patch
  /// Whether refusals, which say that there is no recording, are changed as well.
  let includesMisses: Bool
  let limits: RuleUsage.Limits
  let identity = RuleIdentity()

  init(_ declaration: RuleDeclaration) throws(OverrideProblem) {
    var reader = try RuleReader(declaration.json, at: declaration.place)
    _ = try reader.text("id")
    id = declaration.id
    source = declaration.json
    condition = try RequestCondition(&reader)
    limits = try RuleUsage.Limits(&reader)
    includesMisses = try reader.bool("misses") ?? false
    patch = try Patch(&reader)
    try reader.finish()
    guard !patch.isEmpty else {
      throw OverrideProblem(declaration.place, "changes nothing: it needs one of \(Patch.members)")
    }
  }
}
