public import TapedeckHTTP

/// What of a response that names the origin comes to name the proxy on its way to the client: the member `rewrite` of
/// `cassette.json`.
public struct RewriteRules: Sendable, Equatable {
  /// Whether anything is rewritten.
  public private(set) var isOn = true
  /// Fields beside those that are always rewritten, sorted, without regard to case.
  public private(set) var fields: [String] = []
  /// Whether text bodies are rewritten.
  public private(set) var rewritesBodies = false

  public init() {}

  /// - Throws: for a name that no field can have.
  public init(isOn: Bool = true, fields: [String], rewritesBodies: Bool) throws(HTTPFieldError) {
    self.isOn = isOn
    self.rewritesBodies = rewritesBodies
    try add(fields)
  }

  private mutating func add(_ names: [String]) throws(HTTPFieldError) {
    var known = Set(fields.map { $0.lowercased() })
    for name in names {
      var checked = HTTPFields()
      try checked.append(name, "")
      if known.insert(name.lowercased()).inserted { fields.append(name) }
    }
    fields.sort { ($0.lowercased(), $0) < ($1.lowercased(), $1) }
  }

  /// What it comes to, for people.
  public var text: String {
    guard isOn else { return "nothing" }
    let names = ["Location and its kin"] + fields + (rewritesBodies ? ["text bodies"] : [])
    return names.count == 1 ? names[0] : names.dropLast().joined(separator: ", ") + " and \(names.last ?? "")"
  }

  mutating func apply(_ choice: RewriteChoice) {
    isOn = choice.isOn ?? isOn
    guard isOn else { return (fields, rewritesBodies) = ([], false) }
    rewritesBodies = choice.rewritesBodies ?? rewritesBodies
    try? add(choice.fields)
  }
}
