internal import TapedeckHTTP

/// What must stand at a place in a JSON body for a rule to hold.
///
/// In JSON: any text, number, `true`, `false` or `null` for itself, a list for one of these, `{"exists": true}` or
/// `{"exists": false}`, and `{"contains": "a"}`, `{"startsWith": "a"}`, `{"endsWith": "a"}` for texts. Where a path leads
/// to several places, one that fits is enough.
enum JSONMatcher: Sendable, Equatable {
  case oneOf([JSONValue])
  case exists(Bool)
  case text(TextMatcher)

  init(_ value: JSONValue, at place: String) throws(OverrideProblem) {
    switch value {
    case .string, .number, .bool, .null: self = .oneOf([value])
    case .array(let items):
      guard !items.isEmpty, items.allSatisfy({ $0.array == nil && $0.members == nil }) else {
        throw OverrideProblem(
          place, "must be a list of plain values, one of which it is; for more there is when.json")
      }
      self = .oneOf(items)
    case .object:
      var reader = try RuleReader(value, at: place)
      if let exists = try reader.bool("exists") {
        try reader.finish()
        self = .exists(exists)
      } else {
        self = .text(try TextMatcher.partial(reader, also: "exists"))
      }
    }
  }

  /// - Parameter values: all that the path selects in the body.
  func accepts(_ values: [JSONValue]) -> Bool {
    switch self {
    case .oneOf(let wanted): values.contains { value in wanted.contains { value.holds($0) } }
    case .exists(let exists): values.isEmpty != exists
    case .text(let matcher): matcher.accepts(values.compactMap(\.text))
    }
  }

  /// After the path: `$.user.role is "admin"`.
  var description: String {
    switch self {
    case .oneOf(let wanted): "is \(wanted.map(\.description).joined(separator: " or "))"
    case .exists(let exists): exists ? "is there" : "is absent"
    case .text(let matcher): matcher.description
    }
  }
}
