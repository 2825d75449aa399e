import TapedeckHTTP

/// What `--match` says, or the `match` member of `cassette.json`: a list of parts, separated by commas.
///
/// A list that names `method`, `path`, `query` or `body` is all that is compared. Any other changes the rules there
/// are: it adds a part, or says what to ignore. Names after `headers:` and `…:ignore=` go on until the next part; `+`
/// separates them too.
public struct MatchSpec: Sendable, Equatable {
  /// One thing that is said.
  enum Item: Equatable, Sendable {
    case part(MatchRules.Part)
    case header(String)
    case bodyForm(MatchRules.BodyForm)
    case ignoreQuery(NamePattern)
    case ignorePath(JSONPath)
    case ignoreField(NamePattern)
  }

  let items: [Item]

  /// - Parameter texts: each a list; together they are one.
  public init(_ texts: [String]) throws(MatchSpecError) {
    var items: [Item] = []
    for text in texts {
      var reader = MatchSpecReader(text)
      items += try reader.items()
    }
    self.items = items
    _ = try rules()
  }

  /// Whether it says all that is compared.
  private var isWhole: Bool {
    items.contains { if case .part(let part) = $0 { part != .host } else { false } }
  }

  /// The rules that it makes of those there are.
  /// - Throws: when what it says does not go together.
  public func rules(changing current: MatchRules = MatchRules()) throws(MatchSpecError) -> MatchRules {
    var rules = current
    if isWhole {
      rules = MatchRules()
      rules.parts = []
    }
    for item in items { Self.apply(item, to: &rules) }
    try Self.check(rules)
    return rules
  }

  private static func apply(_ item: Item, to rules: inout MatchRules) {
    switch item {
    case .part(let part): rules.parts.insert(part)
    case .header(let name): rules.headers.insert(name)
    case .bodyForm(let form):
      rules.parts.insert(.body)
      rules.bodyForm = form
    case .ignoreQuery(let name):
      rules.parts.insert(.query)
      rules.ignoredQuery.insert(name)
    case .ignorePath(let path):
      rules.parts.insert(.body)
      rules.ignoredPaths.insert(path)
    case .ignoreField(let name):
      rules.parts.insert(.body)
      rules.ignoredFields.insert(name)
    }
  }

  /// Ignored places have to exist: a body that is compared as bytes has none.
  private static func check(_ rules: MatchRules) throws(MatchSpecError) {
    let path = rules.ignoredPaths.map { "\($0)" }.min()
    let field = rules.ignoredFields.map { "\($0)" }.min()
    switch rules.bodyForm {
    case .byType: break
    case .json: if let field { throw .needless("body:ignore=\(field)", with: "body:json") }
    case .form, .multipart:
      if let path { throw .needless("body:ignore=\(path)", with: "body:\(rules.bodyForm.rawValue)") }
    case .bytes: if let name = path ?? field { throw .needless("body:ignore=\(name)", with: "body:bytes") }
    }
  }
}

extension MatchRules {
  /// The rules as a spec changes them.
  package func changed(_ spec: MatchSpec) throws(CassetteError) -> MatchRules {
    do throws(MatchSpecError) { return try spec.rules(changing: self) } catch { throw .invalidRules(error) }
  }
}
