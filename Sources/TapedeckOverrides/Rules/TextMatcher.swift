internal import TapedeckHTTP

/// What a value in a request must be like for a rule to hold.
///
/// In JSON: `"a"` equal, `["a", "b"]` one of these, `true` there, whatever it is, `false` not there,
/// `{"contains": "a"}`, `{"startsWith": "a"}`, `{"endsWith": "a"}`. No regular expressions on purpose: they can be made
/// to run for minutes.
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

  /// - Parameter other: a member that may stand there instead.
  static func partial(
    _ reader: RuleReader, also other: String? = nil
  ) throws(OverrideProblem) -> TextMatcher {
    var reader = reader
    let found: [TextMatcher?] = [
      try reader.text("contains").map { .contains($0) },
      try reader.text("startsWith").map { .startsWith($0) },
      try reader.text("endsWith").map { .endsWith($0) },
    ]
    try reader.finish()
    let matchers = found.compactMap(\.self)
    guard matchers.count == 1, let matcher = matchers.first else {
      let known = ["contains", "startsWith", "endsWith"] + [other].compactMap(\.self)
      throw OverrideProblem(reader.place, "needs one of \(known.joined(separator: ", "))")
    }
    return matcher
  }

  /// - Parameter values: all that the request has under the name; one that fits is enough.
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

  /// After the name of what is matched: `page is "2"`.
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
