internal import TapedeckHTTP

/// A rule as an overrides file or the admin API declares it, checked and ready to be used.
protocol OverrideRule: Sendable {
  static var kind: OverrideKind { get }

  /// Known under it in the admin API, in logs and in explanations.
  var id: String { get }
  /// As it was declared.
  var source: JSONValue { get }
  var condition: RequestCondition { get }
  var limits: RuleUsage.Limits { get }
  var identity: RuleIdentity { get }

  init(_ declaration: RuleDeclaration) throws(OverrideProblem)
}

/// A rule to be read.
struct RuleDeclaration {
  var json: JSONValue
  var id: String
  /// Where it stands, like `routes[3]`.
  var place: String
  /// What it may read; `nil` where rules may not name files.
  var files: RuleFiles?
}
