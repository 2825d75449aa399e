internal import TapedeckHTTP

/// The URLs a route is for: `/users/:id`, `/users/{id}?country=:country`, `/files/*rest`.
///
/// A pattern without a query takes any query. With one, the request must have each of its names: with the given value,
/// or with any value where a parameter or nothing is given.
struct RoutePattern: Sendable, Hashable {
  struct QueryConstraint: Sendable, Hashable {
    enum Value: Sendable, Hashable {
      case any
      case literal(String)
      case parameter(String)
    }

    var name: String
    var value: Value
  }

  /// The pattern as it was written.
  let text: String
  let segments: [PathPattern.Segment]
  let query: [QueryConstraint]

  /// - Parameter prefix: of the route's group.
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
    QueryItem.parse(query.utf8).map { QueryConstraint(name: $0.name, value: value($0.value)) }
  }

  private static func value(_ text: String?) -> QueryConstraint.Value {
    guard let text, !text.isEmpty else { return .any }
    if text.hasPrefix(":") { return .parameter(String(text.dropFirst())) }
    if text.hasPrefix("{"), text.hasSuffix("}") { return .parameter(String(text.dropFirst().dropLast())) }
    return .literal(text)
  }

  /// The values of the query's parameters; `nil` when it does not match. Of several items of one name, the first counts.
  func matchQuery(_ items: [QueryItem]) -> [String: String]? {
    var values: [String: String] = [:]
    for constraint in query {
      guard let item = items.first(where: { $0.name == constraint.name }) else { return nil }
      switch (constraint.value, item.value) {
      case (.any, _), (_, nil): continue
      case (.literal(let wanted), .some(let value)): guard wanted == value else { return nil }
      case (.parameter(let name), .some(let value)): values[name] = value
      }
    }
    return values
  }

  /// Equal for patterns that match the same requests: the names of parameters and the order of the query do not count.
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
      case .any, .parameter: "?\(constraint.name)"
      case .literal(let value): "?\(constraint.name)=\(value)"
      }
    }
    return path + query.sorted()
  }
}
