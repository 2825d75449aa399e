import TapedeckHTTP
import TapedeckRedaction

/// The body of a request in the form used for comparison.
struct CanonicalBody {
  enum Kind: UInt8 {
    case none, bytes, json, form, multipart

    /// The kind that a body claims to be; only parsing shows whether it is.
    init(_ type: MediaType.Kind) {
      switch type {
      case .json: self = .json
      case .form: self = .form
      case .multipart: self = .multipart
      case .other: self = .bytes
      }
    }
  }

  /// Larger bodies are compared as bytes, because parsed JSON takes many times its size in memory and parsing
  /// blocks the loop's other clients. Part of the key, so it must not change.
  static let maximumParsedBytes = 4 << 20

  /// Whether a body of this size has no other form than its bytes.
  static func isComparedAsBytes(_ size: Int, _ request: HTTPRequest) -> Bool {
    size > maximumParsedBytes && BodyCoding(request.fields) == .identity
  }

  let kind: Kind
  /// JSON as it is compared; `nil` for other kinds, and where nothing of it is compared.
  let value: JSONValue?
  private let others: [UInt8]

  /// The canonical form.
  var bytes: [UInt8] { value?.canonicalBytes ?? others }

  init(_ request: HTTPRequest, _ rules: MatchRules? = nil) {
    self.init(uncoded: Self.opened(request, rules) ?? request, rules)
  }

  /// A request with its body decoded, since a coding varies for the same text: gzip stores the time. `nil`
  /// when there is no coding, it cannot be decoded, or bodies are compared as bytes.
  static func opened(_ request: HTTPRequest, _ rules: MatchRules?) -> HTTPRequest? {
    guard !request.body.isEmpty, rules?.bodyForm != .bytes else { return nil }
    let coding = BodyCoding(request.fields)
    guard coding != .identity, let content = coding.decoded(request.body[...]) else { return nil }
    var opened = request
    opened.body = content
    opened.fields.removeAll("content-encoding")
    return opened
  }

  private init(uncoded request: HTTPRequest, _ rules: MatchRules?) {
    let body = request.body
    guard !body.isEmpty else {
      (kind, value, others) = (.none, nil, [])
      return
    }
    if rules?.bodyForm ?? .byType == .byType, let document = Self.document(in: body) {
      (kind, value, others) = (.json, Self.compared(document, rules), [])
      return
    }
    switch Self.type(of: request, rules) {
    case .json:
      if let document = Self.json(body) {
        (kind, value, others) = (.json, Self.compared(document, rules), [])
        return
      }
    case .form:
      var pairs = FormPairs(body[...]).comparingTokens(in: body[...]).sorted
      if let rules, !rules.ignoredFields.isEmpty {
        pairs.removeAll { rules.ignoredFields.matches($0.name) }
      }
      var writer = KeyWriter(capacity: body.count + 16)
      writer.append(pairs: pairs)
      (kind, value, others) = (.form, nil, writer.bytes)
      return
    case .multipart(let boundary):
      if let parts = MultipartBody(body, boundary: boundary)?.parts(ignoring: rules?.ignoredFields ?? []) {
        var writer = KeyWriter(capacity: body.count)
        for part in parts { writer.append(MultipartBody.canonical(part)) }
        (kind, value, others) = (.multipart, nil, writer.bytes)
        return
      }
    case .other: break
    }
    (kind, value, others) = (.bytes, nil, body)
  }

  /// The object or array in a body, whatever its type says; `nil` when there is none.
  static func document(in body: [UInt8]) -> JSONValue? {
    guard body.count <= maximumParsedBytes else { return nil }
    let text = withoutMark(body)
    guard let first = text.first(where: { !ASCII.isSpace($0) }),
      first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    else { return nil }
    return json(body)
  }

  /// The JSON in a body, after an optional UTF-8 byte order mark, which RFC 8259 §8.1 lets readers ignore.
  static func json(_ body: [UInt8]) -> JSONValue? {
    let text = withoutMark(body)
    return try? JSONValue(parsing: text.count == body.count ? body : Array(text))
  }

  private static func withoutMark(_ body: [UInt8]) -> ArraySlice<UInt8> {
    body.first == 0xEF && body.starts(with: [0xEF, 0xBB, 0xBF]) ? body[3...] : body[...]
  }

  static func type(of request: HTTPRequest, _ rules: MatchRules?) -> MediaType.Kind {
    guard request.body.count <= maximumParsedBytes else { return .other }
    switch rules?.bodyForm ?? .byType {
    case .byType: return MediaType(request.fields).kind
    case .json: return .json
    case .form: return .form
    case .bytes: return .other
    case .multipart:
      let said = MediaType(request.fields).kind
      if case .multipart = said { return said }
      return MultipartBody.boundary(openedBy: request.body).map { .multipart(boundary: $0) } ?? .other
    }
  }

  /// The value without ignored places, with GraphQL documents in canonical form.
  static func compared(_ value: JSONValue, _ rules: MatchRules?) -> JSONValue? {
    guard let rules, !rules.ignoredPaths.isEmpty else {
      return GraphQLDocument.normalized(value).comparingTokens
    }
    return value.removing(Array(rules.ignoredPaths)).map { GraphQLDocument.normalized($0).comparingTokens }
  }
}

extension MultipartBody {
  func parts(ignoring names: Set<NamePattern>) -> [ArraySlice<UInt8>] {
    names.isEmpty ? parts : parts.filter { part in !(Self.name(of: part).map(names.matches) ?? false) }
  }

  private static let maximumDepth = 4

  /// A part for comparison, without the boundaries of parts within it (RFC 2046 §5.1.4).
  static func canonical(_ part: ArraySlice<UInt8>, depth: Int = 0) -> [UInt8] {
    guard depth < maximumDepth, let (range, boundary) = innerBoundary(of: part),
      let inner = MultipartBody(Array(content(of: part)), boundary: boundary)
    else { return Array(part) }
    var writer = KeyWriter(capacity: part.count)
    writer.append(part[..<range.lowerBound] + part[range.upperBound..<content(of: part).startIndex])
    for each in inner.parts { writer.append(canonical(each, depth: depth + 1)) }
    return writer.bytes
  }
}

/// Canonical JSON: no white space, members sorted by name bytes, strings by their meaning, numbers as
/// written. Members with equal names keep their order, because readers differ in which one they take.
extension JSONValue {
  var canonicalBytes: [UInt8] {
    var out: [UInt8] = []
    writeCanonical(to: &out)
    return out
  }

  private func writeCanonical(to out: inout [UInt8]) {
    switch self {
    case .null: out += "null".utf8
    case .bool(let value): out += (value ? "true" : "false").utf8
    case .number(let number): out += number.raw
    case .string(let string): Self.append(string.comparedBytes, to: &out)
    case .array(let items):
      out.append(UInt8(ascii: "["))
      for item in items {
        item.writeCanonical(to: &out)
        out.append(UInt8(ascii: ","))
      }
      out.append(UInt8(ascii: "]"))
    case .object(let members):
      out.append(UInt8(ascii: "{"))
      for (name, value) in Self.sorted(members) {
        Self.append(name, to: &out)
        value.writeCanonical(to: &out)
        out.append(UInt8(ascii: ","))
      }
      out.append(UInt8(ascii: "}"))
    }
  }

  /// A quote and the length separate a string from whatever follows.
  private static func append(_ string: ArraySlice<UInt8>, to out: inout [UInt8]) {
    out.append(UInt8(ascii: "\""))
    ASCII.append(string.count, to: &out)
    out.append(UInt8(ascii: ":"))
    out += string
  }

  static func sorted(_ members: [JSONMember]) -> [(name: ArraySlice<UInt8>, value: JSONValue)] {
    members.enumerated().map {
      (offset: $0.offset, name: $0.element.name.comparedBytes, value: $0.element.value)
    }
    .sorted {
      $0.name == $1.name ? $0.offset < $1.offset : $0.name.lexicographicallyPrecedes($1.name)
    }
    .map { ($0.name, $0.value) }
  }
}

extension JSONString {
  /// `decodedBytes`, shared with the document where nothing is escaped.
  fileprivate var comparedBytes: ArraySlice<UInt8> { utf8Slice ?? decodedBytes[...] }
}
