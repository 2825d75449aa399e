public import TapedeckHTTP

/// The rules by which requests are the same. By default: method, path as written, query as a multiset of decoded
/// pairs, and body, where JSON is compared as JSON, forms as pairs, multipart without its boundary, all else as bytes.
public struct RequestMatcher: Sendable, Equatable {
  /// What is compared, by the names that stand in `cassette.json`.
  public enum Component: String, Sendable, CaseIterable {
    case method, path, query, body
  }

  public init() {}

  /// What is compared, in the order it is listed in.
  public var components: [Component] { Component.allCases }

  /// The key of a request. A request without query and body costs one allocation.
  public func key(for request: HTTPRequest) -> MatchKey {
    var writer = KeyWriter(capacity: request.target.count + 40)
    writer.append(request.method.rawValue.utf8)
    writer.append(request.path)
    writer.append(pairs: request.query.map { FormPairs($0).sorted } ?? [])
    writer.append(CanonicalBody(request))
    return MatchKey(bytes: writer.bytes)
  }
}
