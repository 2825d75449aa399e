internal import TapedeckHTTP

/// A condition on a value in a request.
///
/// In JSON: `"a"` for an equal value, `["a", "b"]` for one of these, `true` for any, `false` for none,
/// `{"contains": "a"}`, `{"startsWith": "a"}`, `{"endsWith": "a"}`. There are no regular expressions, since some run for
/// minutes.
enum TextMatcher: Sendable, Equatable {
  case oneOf([String])
  case isThere
  case isAbsent
  case contains(String)
  case startsWith(String)
  case endsWith(String)

  init(_ value: JSONValue, at place: String) throws(OverrideProblem) {
    switch value {
    case .string(let string): self = .oneOf([string.text])
    case .number: self = .oneOf([String(decoding: value.bytes(.compact), as: UTF8.self)])
    case .bool(let isThere): self = isThere ? .isThere : .isAbsent
    case .array(let items):
      let texts = items.compactMap(\.text)
      guard !items.isEmpty, texts.count == items.count else {
        throw OverrideProblem(place, "must be a list of texts")
      }
      self = .oneOf(texts)
    case .object: self = try Self.partial(RuleReader(value, at: place))
    case .null: throw OverrideProblem(place, "must be a text, a list of texts, true, false or an object")
    }
  }

  /// - Parameter others: members that are allowed instead.
  static func partial(
    _ reader: RuleReader, also others: [String] = []
  ) throws(OverrideProblem) -> TextMatcher {
    var reader = reader
    let matchers = [
      try reader.text("contains").map(TextMatcher.contains),
      try reader.text("startsWith").map(TextMatcher.startsWith),
      try reader.text("endsWith").map(TextMatcher.endsWith),
    ].compactMap(\.self)
    try reader.finish()
    guard matchers.count == 1 else {
      let known = ["contains", "startsWith", "endsWith"] + others
      throw OverrideProblem(reader.place, "needs one of \(known.joined(separator: ", "))")
    }
    return matchers[0]
  }

  /// - Parameter values: all values that the request has under the name; one that matches is enough.
  func accepts(_ values: [String]) -> Bool {
    switch self {
    case .isThere: !values.isEmpty
    case .isAbsent: values.isEmpty
    case .oneOf(let wanted): values.contains { wanted.contains($0) }
    case .contains(let part): values.contains { $0.contains(part) }
    case .startsWith(let part): values.contains { $0.hasPrefix(part) }
    case .endsWith(let part): values.contains { $0.hasSuffix(part) }
    }
  }

  /// Follows the name of the value, as in `page is "2"`.
  var description: String {
    switch self {
    case .isThere: "is there"
    case .isAbsent: "is absent"
    case .oneOf(let wanted): "is \(wanted.map(\.debugDescription).joined(separator: " or "))"
    case .contains(let part): "contains \(part.debugDescription)"
    case .startsWith(let part): "starts with \(part.debugDescription)"
    case .endsWith(let part): "ends with \(part.debugDescription)"
    }
  }
}

/// A condition on the value at a place in a JSON body.
///
/// In JSON: a text, number, `true`, `false` or `null` for an equal value, a list for one of several, `{"exists": true}`
/// or `{"exists": false}`, and `{"contains": "a"}`, `{"startsWith": "a"}`, `{"endsWith": "a"}` for texts. If a path selects
/// several values, one that matches is enough.
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
          place, "must be a list of plain values, the alternatives; for anything else use when.json")
      }
      self = .oneOf(items)
    case .object:
      var reader = try RuleReader(value, at: place)
      if let exists = try reader.bool("exists") {
        try reader.finish()
        self = .exists(exists)
      } else {
        self = .text(try TextMatcher.partial(reader, also: ["exists"]))
      }
    }
  }

  /// - Parameter values: all values that the path selects in the body.
  func accepts(_ values: [JSONValue]) -> Bool {
    switch self {
    case .oneOf(let wanted): values.contains { value in wanted.contains { value.holds($0) } }
    case .exists(let exists): values.isEmpty != exists
    case .text(let matcher): matcher.accepts(values.compactMap(\.text))
    }
  }

  /// Follows the path, as in `$.user.role is "admin"`.
  var description: String {
    switch self {
    case .oneOf(let wanted): "is \(wanted.map(\.description).joined(separator: " or "))"
    case .exists(let exists): exists ? "is there" : "is absent"
    case .text(let matcher): matcher.description
    }
  }
}

extension JSONValue {
  /// Whether this contains `part`. Objects may have further members; lists must have the same elements in the same order;
  /// numbers are compared by value; anything else must be equal.
  func holds(_ part: JSONValue) -> Bool {
    switch (self, part) {
    case (.object, .object(let wanted)):
      wanted.allSatisfy { member in self[member.name.text]?.holds(member.value) == true }
    case (.array(let items), .array(let wanted)):
      items.count == wanted.count && zip(items, wanted).allSatisfy { $0.holds($1) }
    case (.string(let left), .string(let right)): left.text == right.text
    default: isEquivalent(to: part)
    }
  }
}
