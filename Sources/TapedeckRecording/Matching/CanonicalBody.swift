import TapedeckHTTP
import TapedeckRedaction

/// The body of a request without what makes no difference to its meaning, nor by the rules.
struct CanonicalBody {
  enum Kind: UInt8 {
    case none, bytes, json, form, multipart

    /// What a body that is there is said to be; whether it is, only taking it apart tells.
    init(_ type: MediaType.Kind) {
      switch type {
      case .json: self = .json
      case .form: self = .form
      case .multipart: self = .multipart
      case .other: self = .bytes
      }
    }
  }

  /// A body beyond this is compared as bytes, whatever it is: taking JSON apart costs many times its size in memory and
  /// keeps the other clients of a loop waiting. Part of the key, so it must not change.
  static let maximumParsedBytes = 4 << 20

  let kind: Kind
  let bytes: [UInt8]

  init(_ request: HTTPRequest, _ rules: MatchRules? = nil) {
    self.init(uncoded: Self.opened(request, rules) ?? request, rules)
  }

  /// A request with its body out of its content coding, since the same text is not coded alike every time: gzip notes
  /// the hour. `nil` where there is no coding, none that can be opened, or where bodies are compared as bytes.
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
      (kind, bytes) = (.none, [])
      return
    }
    if rules?.bodyForm ?? .byType == .byType, let value = Self.document(in: body) {
      (kind, bytes) = (.json, Self.canonical(value, rules))
      return
    }
    switch Self.type(of: request, rules) {
    case .json:
      if let value = Self.json(body) {
        (kind, bytes) = (.json, Self.canonical(value, rules))
        return
      }
    case .form:
      var pairs = FormPairs(body[...]).sorted
      if let rules, !rules.ignoredFields.isEmpty {
        pairs.removeAll { rules.ignoredFields.matches($0.name) }
      }
      var writer = KeyWriter(capacity: body.count + 16)
      writer.append(pairs: pairs)
      (kind, bytes) = (.form, writer.bytes)
      return
    case .multipart(let boundary):
      if let parts = MultipartBody(body, boundary: boundary)?.parts(ignoring: rules?.ignoredFields ?? []) {
        var writer = KeyWriter(capacity: body.count)
        for part in parts { writer.append(MultipartBody.canonical(part)) }
        (kind, bytes) = (.multipart, writer.bytes)
        return
      }
    case .other: break
    }
    (kind, bytes) = (.bytes, body)
  }

  /// The object or array that a body holds, whatever its type says; `nil` when it reads as neither.
  static func document(in body: [UInt8]) -> JSONValue? {
    guard body.count <= maximumParsedBytes else { return nil }
    let text = withoutMark(body)
    guard let first = text.first(where: { !ASCII.isSpace($0) }),
      first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    else { return nil }
    return json(body)
  }

  /// The JSON that a body holds, with or without the mark of UTF-8 before it, which RFC 8259 §8.1 lets readers ignore.
  static func json(_ body: [UInt8]) -> JSONValue? {
    let text = withoutMark(body)
    return try? JSONValue(parsing: text.count == body.count ? body : Array(text))
  }

  private static func withoutMark(_ body: [UInt8]) -> ArraySlice<UInt8> {
    body.first == 0xEF && body.starts(with: [0xEF, 0xBB, 0xBF]) ? body[3...] : body[...]
  }

  /// What the body is taken for: what its type says, or what the rules do.
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

  private static func canonical(_ value: JSONValue, _ rules: MatchRules?) -> [UInt8] {
    compared(value, rules).map(CanonicalJSON.bytes) ?? []
  }

  /// Without the places that make no difference, and with GraphQL documents by their tokens.
  static func compared(_ value: JSONValue, _ rules: MatchRules?) -> JSONValue? {
    guard let rules, !rules.ignoredPaths.isEmpty else { return GraphQLDocument.normalized(value) }
    return value.removing(Array(rules.ignoredPaths)).map(GraphQLDocument.normalized)
  }
}
