public import TapedeckHTTP

/// The parts of requests that are compared, and what is ignored in them.
public struct MatchRules: Sendable, Equatable {
  /// A part of a request, by its name in `--match` and `cassette.json`.
  public enum Part: String, Sendable, CaseIterable {
    case method, path, query, body, host
  }

  /// How bodies are compared.
  public enum BodyForm: String, Sendable, CaseIterable {
    /// JSON objects and arrays as JSON; other bodies by their `Content-Type`: form, multipart or bytes.
    case byType = "auto"
    case json, form, multipart, bytes
  }

  /// The compared parts: `path` normalized (RFC 3986 §6.2.2), `query` as a multiset, `host` without port.
  public var parts: Set<Part> = [.method, .path, .query, .body]
  /// The header fields that are compared, in lower case.
  public var headers: Set<String> = []
  /// Ignored names in the query.
  public var ignoredQuery: Set<NamePattern> = []
  public var bodyForm = BodyForm.byType
  /// Ignored places in JSON bodies.
  public var ignoredPaths: Set<JSONPath> = []
  /// Ignored names in forms, and of parts of multipart bodies.
  public var ignoredFields: Set<NamePattern> = []

  /// Compares method, path, query and body, with JSON as JSON and other bodies by type.
  public init() {}

  /// Whether something in method, path, query or body is ignored, so that requests with one key may differ.
  public var leavesOut: Bool {
    !parts.isSuperset(of: Self().parts) || !ignoredPaths.isEmpty || !ignoredFields.isEmpty
      || !ignoredQuery.isEmpty
  }

  var complete: MatchRules {
    var rules = MatchRules()
    rules.bodyForm = bodyForm
    return rules
  }
}

/// The rules in `--match` and `cassette.json`: `["method", "path", "query", "query:ignore=ts", "body"]`.
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
