/// What a user says about redaction when a recording starts. It adds to what the cassette says already.
public struct RedactionChoice: Sendable, Equatable {
  /// What to hide beside the default list.
  public var redact: [RedactionPattern]
  /// Names and kinds that are not hidden.
  public var keep: [String]
  /// Whether nothing is hidden at all.
  public var isOff: Bool

  /// Creates a choice.
  public init(redact: [RedactionPattern] = [], keep: [String] = [], isOff: Bool = false) {
    self.redact = redact
    self.keep = keep
    self.isOff = isOff
  }

  /// Whether the default list is to hold where a cassette says that nothing is hidden.
  private var turnsOn = false

  package var turnedOn: RedactionChoice {
    var choice = self
    choice.turnsOn = true
    return choice
  }

  private var isEmpty: Bool { redact.isEmpty && keep.isEmpty && !isOff }

  /// What then is in force.
  /// - Parameter known: what the cassette says; nil when it says nothing.
  package func changed(_ known: Redaction?, upstream: String?) -> Redaction {
    if isOff { return .off }
    if isEmpty, let known, known.isOn || !turnsOn { return known }
    var rules = known?.rules ?? RedactionRules(key: RedactionKey(upstream: upstream))
    rules.redact += redact.filter { !rules.redact.contains($0) }
    rules.keep += keep.filter { !rules.keep.contains($0) }
    return Redaction(rules)
  }
}
