public import TapedeckHTTP

/// Which requests are the same: the parts that are compared, and what of them makes no difference.
public struct MatchRules: Sendable, Equatable {
  /// A part of a request, by its name in `--match` and `cassette.json`.
  public enum Part: String, Sendable, CaseIterable {
    case method, path, query, body, host
  }

  /// How bodies are compared.
  public enum BodyForm: String, Sendable, CaseIterable {
    /// What reads as a JSON object or array as JSON; others as their `Content-Type` says: form, multipart or bytes.
    case byType = "auto"
    case json, form, multipart, bytes
  }

  /// What is compared. `path` as RFC 3986 §6.2.2 normalizes it, `query` as a multiset of decoded pairs, `host` without its port.
  public var parts: Set<Part> = [.method, .path, .query, .body]
  /// Names of header fields that are compared, in lower case.
  public var headers: Set<String> = []
  /// Names in the query that make no difference.
  public var ignoredQuery: Set<NamePattern> = []
  public var bodyForm = BodyForm.byType
  /// Places in JSON bodies that make no difference.
  public var ignoredPaths: Set<JSONPath> = []
  /// Names in forms, and of parts of multipart bodies, that make no difference.
  public var ignoredFields: Set<NamePattern> = []

  /// Method, path, query and body, JSON as JSON and any other body as its type says.
  public init() {}

  /// Whether something of method, path, query or body makes no difference, so that requests with one key may differ.
  public var leavesOut: Bool {
    !parts.isSuperset(of: Self().parts) || ignoresBody || !ignoredQuery.isEmpty
  }

  var ignoresBody: Bool { !ignoredPaths.isEmpty || !ignoredFields.isEmpty }

  /// The same with everything compared that may be left out.
  var complete: MatchRules {
    var rules = MatchRules()
    rules.bodyForm = bodyForm
    return rules
  }
}

/// The rules as `--match` and `cassette.json` have them: `["method", "path", "query", "query:ignore=ts", "body"]`. The
/// same rules are always written the same way.
extension MatchRules {
  public var items: [String] {
    var items: [String] = []
    for part in Part.allCases where parts.contains(part) {
      items.append(part.rawValue)
      if part == .query { items += ignoredQuery.map { "query:ignore=\($0)" }.sorted() }
      if part == .body { items += bodyItems }
    }
    return items + headers.sorted().map { "headers:\($0)" }
  }

  private var bodyItems: [String] {
    (bodyForm == .byType ? [] : ["body:\(bodyForm.rawValue)"])
      + ignoredPaths.map { "body:ignore=\($0)" }.sorted() + ignoredFields.map { "body:ignore=\($0)" }.sorted()
  }
}
