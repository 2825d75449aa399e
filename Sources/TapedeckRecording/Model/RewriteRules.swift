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

  /// The rules in words.
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

/// The command line's choices about rewriting; the cassette decides the rest.
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

/// Rewrite rules as they are written in `cassette.json` and in a journal's first line:
/// `{"fields": ["X-Next-Page"], "bodies": true}`, `false` where nothing is rewritten, and `true` for the default.
enum RewriteFormat {
  static func encode(_ rules: RewriteRules) -> JSONValue {
    guard rules.isOn else { return false }
    var members: [JSONMember] = []
    if !rules.fields.isEmpty {
      members.append(JSONMember("fields", .array(rules.fields.map { JSONValue($0) })))
    }
    if rules.rewritesBodies { members.append(JSONMember("bodies", true)) }
    return members.isEmpty ? true : .object(members)
  }

  static func decode(_ value: JSONValue, at place: JSONPlace) throws(JSONProblem) -> RewriteRules {
    var fields: [String] = []
    var rewritesBodies = false
    if value.bool == nil {
      guard case .object = value else { throw place.problem("true, false or an object is expected here") }
      let object = try StrictObject(value, at: place, known: ["fields", "bodies"], allowsOwn: true)
      rewritesBodies = try object.bool("bodies") ?? false
      fields = try object.texts("fields") ?? []
    }
    do throws(HTTPFieldError) {
      return try RewriteRules(isOn: value.bool ?? true, fields: fields, rewritesBodies: rewritesBodies)
    } catch { throw place.member("fields").problem("\(error)") }
  }
}
