public import TapedeckHTTP
public import TapedeckRedaction

/// Makes the keys by which requests are the same, by rules. By default: method, path (`ComparedPath`), query as a
/// multiset of decoded pairs, and body, where JSON is compared as JSON, forms as pairs, multipart without its boundary,
/// all else as bytes. Whatever the rules, the variant (`RequestVariant`) is a part of the key.
///
/// What rules leave out of a request leaves its key as it would be without them, so that rules change the names of
/// only those files that they concern.
public struct RequestMatcher: Sendable, Equatable {
  public let rules: MatchRules
  /// What is hidden before requests are compared, so that what came and what was recorded are redacted alike.
  public let redaction: Redaction
  private let isDefault: Bool
  /// Whether requests with one key may differ in what drift is looked for in.
  public let seesDrift: Bool
  /// The names of compared header fields, in order.
  private let headers: [String]

  public init(_ rules: MatchRules = MatchRules(), redaction: Redaction = .off) {
    self.rules = rules
    self.redaction = redaction
    isDefault = rules == MatchRules()
    seesDrift = rules.leavesOut
    headers = rules.headers.sorted()
  }

  /// The key of a request. A request without query and body costs one allocation.
  public func key(for request: HTTPRequest) -> MatchKey {
    let key = plainKey(for: request)
    let variant = RequestVariant(request.fields, redaction)
    guard !variant.fields.isEmpty else { return MatchKey(bytes: key) }
    var operation = KeyWriter()
    operation.append(variant.fields.filter { $0.role == .operation })
    var selection = KeyWriter()
    selection.append(variant.fields.filter { $0.role != .operation })
    return MatchKey(
      bytes: key + operation.bytes + selection.bytes, plainCount: key.count + operation.bytes.count)
  }

  private func plainKey(for request: HTTPRequest) -> [UInt8] {
    guard headers.isEmpty else { return key(of: redaction.redacted(request)) }
    return redaction.mayHide(request) ? key(of: redaction.comparable(request)) : key(of: request)
  }

  /// What `body` makes of the bytes of a request's key. A request without query and body costs no allocation.
  func withKey<Result>(for request: HTTPRequest, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    guard headers.isEmpty, !request.fields.mayNameVariant, !redaction.mayHide(request) else {
      return key(for: request).bytes.withUnsafeBytes(body)
    }
    if isDefault, let result = PlainKey.withBytes(of: request, body) { return result }
    return key(of: request).withUnsafeBytes(body)
  }

  /// The key of a request that has no secrets any more.
  private func key(of request: HTTPRequest) -> [UInt8] {
    var writer = KeyWriter(capacity: request.target.count + 40)
    guard isDefault else { return ruledKey(for: request, &writer) }
    writer.append(request.method.rawValue.utf8)
    writer.append(ComparedPath.normalized(request.path))
    writer.append(pairs: ComparedQuery.pairs(of: request, rules))
    writer.append(CanonicalBody(request))
    return writer.bytes
  }

  private func ruledKey(for request: HTTPRequest, _ writer: inout KeyWriter) -> [UInt8] {
    let parts = rules.parts
    if parts.contains(.method) { writer.append(request.method.rawValue.utf8) }
    if parts.contains(.path) { writer.append(ComparedPath.normalized(request.path)) }
    if parts.contains(.query) { writer.append(pairs: ComparedQuery.pairs(of: request, rules)) }
    if parts.contains(.body) { writer.append(CanonicalBody(request, rules)) }
    if parts.contains(.host) { writer.append(RequestHost.compared(request.authority[...])) }
    for name in headers {
      let values = RequestHeaders.values(of: name, in: request)
      writer.append(count: values.count)
      for value in values { writer.append(value) }
    }
    return writer.bytes
  }

  /// The target without the names in its query that make no difference.
  public func comparedTarget(of request: HTTPRequest) -> [UInt8] {
    guard let query = request.query, rules.parts.contains(.query), !rules.ignoredQuery.isEmpty else {
      return rules.parts.contains(.query) ? request.target : Array(request.path)
    }
    let kept = query.split(separator: UInt8(ascii: "&")).filter { piece in
      !FormPairs(piece).pairs.contains { rules.ignoredQuery.matches($0.name) }
    }
    return request.path + (kept.isEmpty ? [] : Array("?".utf8) + kept.joined(separator: [UInt8(ascii: "&")]))
  }
}
