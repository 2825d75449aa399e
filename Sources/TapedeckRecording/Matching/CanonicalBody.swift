import TapedeckHTTP

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
    let body = request.body
    guard !body.isEmpty else {
      (kind, bytes) = (.none, [])
      return
    }
    if let rules, let value = Self.unannouncedJSON(in: request, rules) {
      (kind, bytes) = (.json, Self.canonical(value, rules))
      return
    }
    switch Self.type(of: request, rules) {
    case .json:
      if let value = try? JSONValue(parsing: body) {
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
        for part in parts { writer.append(part) }
        (kind, bytes) = (.multipart, writer.bytes)
        return
      }
    case .other: break
    }
    (kind, bytes) = (.bytes, body)
  }

  private static func unannouncedJSON(in request: HTTPRequest, _ rules: MatchRules) -> JSONValue? {
    guard rules.readsAnyJSON, request.body.count <= maximumParsedBytes,
      let first = request.body.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }),
      first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    else { return nil }
    return try? JSONValue(parsing: request.body)
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
    guard let rules, !rules.ignoredPaths.isEmpty else { return CanonicalJSON.bytes(value) }
    return value.removing(Array(rules.ignoredPaths)).map(CanonicalJSON.bytes) ?? []
  }
}
