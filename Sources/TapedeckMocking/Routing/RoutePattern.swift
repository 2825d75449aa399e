internal import TapedeckHTTP

/// Which URLs a route is for: `/users/:id`, `/users/{id}?country=:country`, `/files/*rest`.
///
/// A pattern without a query takes any; with one, each of its names must be there: with the value that is written,
/// or with any where a wildcard or nothing is written.
struct RoutePattern: Sendable, Hashable {
  struct QueryConstraint: Sendable, Hashable {
    enum Value: Sendable, Hashable {
      case any
      case literal(String)
      case wildcard(String)
    }

    var name: String
    var value: Value
  }

  /// As it was written.
  let text: String
  let segments: [PathPattern.Segment]
  let query: [QueryConstraint]

  /// - Parameter prefix: of the group it belongs to.
  init(_ text: String, prefix: String = "") throws(PathPatternError) {
    let written = prefix.isEmpty ? text : Self.joined(prefix, text)
    let parts = written.prefix { $0 != "#" }.split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    self.text = written
    segments = try PathPattern(String(parts.first ?? "")).segments
    query = parts.count > 1 ? Self.constraints(parts[1]) : []
  }

  private static func joined(_ prefix: String, _ text: String) -> String {
    prefix.hasSuffix("/") || text.hasPrefix("/") || text.hasPrefix("?") ? prefix + text : "\(prefix)/\(text)"
  }

  private static func constraints(_ query: Substring) -> [QueryConstraint] {
    QueryItems.parse(query.utf8).map { item in
      QueryConstraint(name: item.name, value: value(item.value))
    }
  }

  private static func value(_ text: String?) -> QueryConstraint.Value {
    guard let text, !text.isEmpty else { return .any }
    if text.hasPrefix(":") { return .wildcard(String(text.dropFirst())) }
    if text.hasPrefix("{"), text.hasSuffix("}") { return .wildcard(String(text.dropFirst().dropLast())) }
    return .literal(text)
  }

  /// What the wildcards of the query caught; nil when it is not met. Of several items of one name, the first counts.
  func matchQuery(_ items: [QueryItem]) -> [String: String]? {
    var caught: [String: String] = [:]
    for constraint in query {
      guard let item = items.first(where: { $0.name == constraint.name }) else { return nil }
      switch (constraint.value, item.value) {
      case (.any, _), (_, nil): continue
      case (.literal(let wanted), .some(let value)): guard wanted == value else { return nil }
      case (.wildcard(let name), .some(let value)): caught[name] = value
      }
    }
    return caught
  }

  /// What two patterns have in common that match the same requests: the names of wildcards do not count, nor the
  /// order of the query.
  var shape: [String] {
    let path = segments.map { segment in
      switch segment {
      case .literal(let bytes): "/" + String(decoding: bytes, as: UTF8.self)
      case .parameter: ":"
      case .rest: "*"
      }
    }
    let query = query.map { constraint in
      switch constraint.value {
      case .any, .wildcard: "?\(constraint.name)"
      case .literal(let value): "?\(constraint.name)=\(value)"
      }
    }
    return path + query.sorted()
  }
}
