internal import TapedeckHTTP

/// Something that goes wrong on the way of an answer to the client.
struct FaultRule: OverrideRule {
  static let kind = OverrideKind.faults

  let id: String
  let source: JSONValue
  let condition: RequestCondition
  let fault: Fault
  let limits: RuleUsage.Limits
  let identity = RuleIdentity()

  init(_ declaration: RuleDeclaration) throws(OverrideProblem) {
    var reader = try RuleReader(declaration.json, at: declaration.place)
    _ = try reader.text("id")
    id = declaration.id
    source = declaration.json
    condition = try RequestCondition(&reader)
    limits = try RuleUsage.Limits(&reader, probability: "toxicity")
    fault = try Fault(&reader)
    try reader.finish()
  }
}
