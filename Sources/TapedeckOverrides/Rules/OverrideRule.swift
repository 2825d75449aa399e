internal import TapedeckHTTP

/// A rule of an overrides file or of the admin API, checked and ready for use.
protocol OverrideRule: Sendable {
  /// Finds the rules for a request; built once for each state of a list.
  associatedtype Index: Sendable
  associatedtype State: RuleState where State.Rule == Self

  static var kind: OverrideKind { get }
  static func index(of rules: [Self]) -> Index
  /// A conflict of a rule with the others among these entries, which include it.
  static func problem(of rule: Self, among entries: [RuleTable<Self>.Entry]) -> OverrideProblem?

  /// Its name in the admin API, in logs and with `--explain`.
  var id: String { get }
  /// The declaration.
  var source: JSONValue { get }

  init(_ declaration: RuleDeclaration) throws(OverrideProblem)
}

extension OverrideRule {
  static func problem(of rule: Self, among entries: [RuleTable<Self>.Entry]) -> OverrideProblem? { nil }
}

/// A session's own state of its rules: how often they acted, or the objects of resources. Sessions may share the rules.
protocol RuleState: Sendable {
  associatedtype Rule: OverrideRule

  init(_ table: RuleTable<Rule>)
  /// Replaces the rules, and keeps the state of those that stay.
  /// - Parameter id: the id of a rule that starts over even if its declaration is the same.
  func take(_ table: RuleTable<Rule>, restarting id: String?)
  func counts(of rule: Rule) -> RuleUsage
  /// Starts over.
  func reset()
}

/// The declaration of a rule.
struct RuleDeclaration {
  var json: JSONValue
  var id: String
  /// The place of the declaration, like `routes[3]`.
  var place: String
  /// The file with the declaration; `nil` if the rule may not name files.
  var file: OverridesFile?
}

/// A rule for the requests that meet a condition: a route, a patch or a fault, depending on its effect.
final class RequestRule<Effect: RuleEffect>: OverrideRule {
  typealias State = RuleUsages<Effect>

  static var kind: OverrideKind { Effect.kind }
  static func index(of rules: [RequestRule]) -> RuleIndex<Effect> { RuleIndex(rules) }

  let id: String
  let source: JSONValue
  let condition: RequestCondition
  let limits: RuleLimits
  let effect: Effect
  /// Reading the same declaration again makes another rule, whose counts start at zero.
  let identity = newRuleIdentity()

  init(_ declaration: RuleDeclaration) throws(OverrideProblem) {
    var reader = try RuleReader(declaration.json, at: declaration.place)
    _ = try reader.text("id")
    id = declaration.id
    source = declaration.json
    condition = try RequestCondition(&reader, forRoute: Effect.kind == .routes)
    var limits = try RuleLimits(&reader, probability: Effect.kind == .faults ? "toxicity" : "probability")
    effect = try Effect(&reader, condition.path, declaration.file, &limits)
    self.limits = limits
    try reader.finish()
  }
}

/// The effect of a rule on the requests that it matches.
protocol RuleEffect: Sendable {
  static var kind: OverrideKind { get }

  /// Reads its own members of a rule.
  /// - Parameters:
  ///   - path: the rule's path.
  ///   - limits: the rule's limits, which the effect may tighten.
  init(
    _ reader: inout RuleReader, _ path: PathPattern, _ file: OverridesFile?, _ limits: inout RuleLimits
  ) throws(OverrideProblem)
}
