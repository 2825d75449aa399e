internal import TapedeckHTTP

/// A change to what the rest of the chain answers, recorded or live, apart from the recording.
struct PatchRule: OverrideRule {
  static let kind = OverrideKind.patches

  let id: String
  let source: JSONValue
  let condition: RequestCondition
  private(set) var usage: RuleUsage

  init(_ declaration: RuleDeclaration) throws(OverrideProblem) {
    var reader = try RuleReader(declaration.json, at: declaration.place)
    _ = try reader.text("id")
    id = declaration.id
    source = declaration.json
    condition = try RequestCondition(&reader)
    usage = RuleUsage(try RuleUsage.Limits(&reader))
    try reader.finish()
  }

  func fresh() -> PatchRule {
    var copy = self
    copy.usage = RuleUsage(usage.limits)
    return copy
  }
}
