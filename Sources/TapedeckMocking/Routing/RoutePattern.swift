internal import TapedeckHTTP

/// The URLs of a route: `/users/:id`, `/users/{id}?country=:country`, `/files/*rest`, and with a host
/// `https://api.test.com/users`. A query requires each of its names: with the given value, or with any if there is a
/// parameter or no value.
struct RoutePattern: Sendable {
  enum QueryValue: Sendable, Hashable {
    case any
    case literal(String)
    case parameter(String)
  }

  let text: String
  /// The scheme and host; `nil` for any.
  let origin: BaseURL?
  let segments: [PathPattern.Segment]
  let query: [(name: String, value: QueryValue)]

  init(_ text: String, prefix: String = "") throws(PathPatternError) {
    let written = prefix.isEmpty ? text : Self.joined(prefix, text)
    self.text = written
    let path = Self.path(of: written)
    origin = path.startIndex == written.startIndex ? nil : BaseURL(String(written[..<path.startIndex]))
    guard prefix.isEmpty || !Self.isAbsolute(text) else { throw .hostInside(written) }
    let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    segments = try PathPattern(String(parts.first ?? "")).segments
    query = parts.count > 1 ? QueryItem.parse(parts[1].utf8).map { ($0.name, Self.value($0.value)) } : []
  }

  /// What follows the scheme and host, if there are any.
  static func path(of text: String) -> Substring {
    let text = text.prefix { $0 != "#" }
    guard isAbsolute(text), let mark = text.firstRange(of: "://") else { return text }
    return text[mark.upperBound...].drop { $0 != "/" && $0 != "?" }
  }

  /// Whether a text begins with `https://`, or another scheme.
  static func isAbsolute(_ text: some StringProtocol) -> Bool {
    guard let mark = Substring(text).firstRange(of: "://"), mark.lowerBound > text.startIndex else {
      return false
    }
    return text[..<mark.lowerBound].allSatisfy { $0.isLetter }
  }

  private static func joined(_ prefix: String, _ text: String) -> String {
    prefix.hasSuffix("/") || text.hasPrefix("/") || text.hasPrefix("?") ? prefix + text : "\(prefix)/\(text)"
  }

  private static func value(_ text: String?) -> QueryValue {
    guard let text, !text.isEmpty else { return .any }
    if text.hasPrefix(":") { return .parameter(String(text.dropFirst())) }
    if text.hasPrefix("{"), text.hasSuffix("}") { return .parameter(String(text.dropFirst().dropLast())) }
    return .literal(text)
  }

  /// The values of the query's parameters; `nil` without a match. The first item of a name counts.
  func matchQuery(_ items: [QueryItem]) -> [String: String]? {
    var values: [String: String] = [:]
    for (name, wanted) in query {
      guard let item = items.first(where: { $0.name == name }) else { return nil }
      switch (wanted, item.value) {
      case (.any, _), (_, nil): continue
      case (.literal(let wanted), .some(let value)): guard wanted == value else { return nil }
      case (.parameter(let name), .some(let value)): values[name] = value
      }
    }
    return values
  }

  /// Equal for patterns that match the same requests: parameter names and query order are ignored.
  var shape: [String] {
    let path = segments.map { segment in
      switch segment {
      case .literal(let bytes): "/" + String(decoding: bytes, as: UTF8.self)
      case .parameter: ":"
      case .rest: "*"
      }
    }
    let query = query.map { name, value in
      if case .literal(let value) = value { "?\(name)=\(value)" } else { "?\(name)" }
    }
    return (origin.map { [$0.text] } ?? []) + path + query.sorted()
  }
}

/// The base of a router: `http://api.test.com/v1`, `test.com`, `localhost:8080`, `/api`, or everything.
/// Without a scheme, any scheme and subdomain match. A port is compared only if given.
/// The path has no parameters.
struct BaseURL: Sendable {
  /// As it was given.
  let text: String
  private let parts: URLText
  let segments: [[UInt8]]

  init(_ text: String) {
    self.text = text
    parts = URLText(text, mayLackScheme: true)
    let path = Array(parts.target.utf8).prefix { $0 != UInt8(ascii: "?") }
    segments = PathSegments(path).keys.map { Array($0) }
  }

  func covers(_ url: URLText) -> Bool {
    if let scheme = parts.scheme, scheme != url.scheme { return false }
    if let host = parts.host, host != url.host {
      guard parts.scheme == nil, url.host?.hasSuffix("." + host) == true else { return false }
    }
    return parts.port == nil || parts.port == url.effectivePort
  }

  func beginsPath(_ path: PathSegments, foldsCase: Bool) -> Bool {
    guard path.keys.count >= segments.count else { return false }
    return zip(path.keys, segments).allSatisfy { key, own in
      key.elementsEqual(foldsCase ? PathSegments.folded(own) : own)
    }
  }
}
