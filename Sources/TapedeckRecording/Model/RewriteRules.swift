public import TapedeckHTTP

/// The parts of a response rewritten to name the proxy: the member `rewrite` of `cassette.json`.
public struct RewriteRules: Sendable, Equatable {
  public fileprivate(set) var isOn = true
  /// Field names in addition to those always rewritten; sorted, ignoring case.
  public private(set) var fields: [String] = []
  public fileprivate(set) var rewritesBodies = false

  public init() {}

  /// - Throws: for an invalid field name.
  public init(isOn: Bool = true, fields: [String], rewritesBodies: Bool) throws(HTTPFieldError) {
    self.isOn = isOn
    self.rewritesBodies = rewritesBodies
    try add(fields)
  }

  fileprivate mutating func add(_ names: [String]) throws(HTTPFieldError) {
    var known = Set(fields.map { $0.lowercased() })
    for name in names {
      var checked = HTTPFields()
      try checked.append(name, "")
      if known.insert(name.lowercased()).inserted { fields.append(name) }
    }
    fields.sort { ($0.lowercased(), $0) < ($1.lowercased(), $1) }
  }

  public var text: String {
    guard isOn else { return "nothing" }
    let names = ["Location and its kin"] + fields + (rewritesBodies ? ["text bodies"] : [])
    return names.count == 1 ? names[0] : names.dropLast().joined(separator: ", ") + " and \(names.last ?? "")"
  }
}

/// The rules as stored: `{"fields": ["X-Next-Page"], "bodies": true}`; `false` for none, `true` by default.
extension RewriteRules {
  var tree: JSONValue {
    guard isOn else { return false }
    var members: [JSONMember] = []
    if !fields.isEmpty { members.append(JSONMember("fields", .array(fields.map { JSONValue($0) }))) }
    if rewritesBodies { members.append(JSONMember("bodies", true)) }
    return members.isEmpty ? true : .object(members)
  }

  init(_ tree: JSONValue, at place: JSONPlace) throws(JSONProblem) {
    var fields: [String] = []
    var rewritesBodies = false
    if tree.bool == nil {
      guard case .object = tree else { throw place.problem("true, false or an object is expected here") }
      let object = try StrictObject(tree, at: place, known: ["fields", "bodies"], allowsOwn: true)
      rewritesBodies = try object.bool("bodies") ?? false
      fields = try object.texts("fields") ?? []
    }
    do throws(HTTPFieldError) {
      try self.init(isOn: tree.bool ?? true, fields: fields, rewritesBodies: rewritesBodies)
    } catch { throw place.member("fields").problem("\(error)") }
  }
}

/// The command line's rewrite options; the cassette decides the rest.
public struct RewriteChoice: Sendable, Equatable {
  /// `--rewrite` or `--no-rewrite`.
  public var isOn: Bool?
  /// `--rewrite-bodies` or `--no-rewrite-bodies`.
  public var rewritesBodies: Bool?
  /// `--rewrite-fields`, added to those of the cassette.
  public private(set) var fields: [String] = []

  public init() {}

  /// Adds a comma-separated list of names; throws for an invalid field name.
  public mutating func addFields(_ list: String) throws(HTTPFieldError) {
    let names = list.split(separator: ",", omittingEmptySubsequences: false).map { name in
      String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
    _ = try RewriteRules(fields: names, rewritesBodies: false)
    fields += names
  }

  public func changed(_ rules: RewriteRules) -> RewriteRules {
    var changed = RewriteRules()
    changed.isOn = isOn ?? rules.isOn
    guard changed.isOn else { return changed }
    changed.rewritesBodies = rewritesBodies ?? rules.rewritesBodies
    try? changed.add(rules.fields + fields)
    return changed
  }

  /// Whether it asks for something that the rules disable as a whole.
  public func isOverruled(by rules: RewriteRules) -> Bool {
    !changed(rules).isOn && (rewritesBodies == true || !fields.isEmpty)
  }
}
