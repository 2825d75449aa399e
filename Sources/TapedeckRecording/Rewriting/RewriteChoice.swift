public import TapedeckHTTP

/// What the command line says about rewriting. What it leaves open is as the cassette says.
public struct RewriteChoice: Sendable, Equatable {
  /// `--rewrite` or `--no-rewrite`.
  public var isOn: Bool?
  /// `--rewrite-bodies` or `--no-rewrite-bodies`.
  public var rewritesBodies: Bool?
  /// `--rewrite-fields`, in addition to those of the cassette.
  public private(set) var fields: [String] = []

  public init() {}

  /// Adds a list of names, separated by commas.
  /// - Throws: for a name that no field can have.
  public mutating func addFields(_ list: String) throws(HTTPFieldError) {
    let names = list.split(separator: ",", omittingEmptySubsequences: false).map { name in
      String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
    _ = try RewriteRules(fields: names, rewritesBodies: false)
    fields += names
  }

  public func changed(_ rules: RewriteRules) -> RewriteRules {
    var rules = rules
    rules.apply(self)
    return rules
  }

  /// Whether it asks for something that `rules` leave off as a whole.
  public func isOverruled(by rules: RewriteRules) -> Bool {
    !changed(rules).isOn && (rewritesBodies == true || !fields.isEmpty)
  }
}
