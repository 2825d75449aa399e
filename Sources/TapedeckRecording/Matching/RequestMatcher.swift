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
  /// Redacts requests before they are compared, so that a request and its recording are redacted alike.
  public let redaction: Redaction
  /// Whether requests with one key may differ in what drift is looked for in.
  public let seesDrift: Bool
  /// The compared parts, in the order of the key.
  private let parts: [MatchRules.Part]
  /// The names of compared header fields, in order.
  private let headers: [String]

  public init(_ rules: MatchRules = MatchRules(), redaction: Redaction = .off) {
    self.rules = rules
    self.redaction = redaction
    seesDrift = rules.leavesOut
    parts = MatchRules.Part.allCases.filter(rules.parts.contains)
    headers = rules.headers.sorted()
  }

  /// The key of a request.
  public func key(for request: HTTPRequest) -> MatchKey {
    var key = KeyWriter()
    write(request, to: &key)
    return MatchKey(key)
  }

  /// Writes the key of a request in place of what the writer holds.
  func write(_ request: HTTPRequest, to key: inout KeyWriter) {
    key.removeAll()
    if !headers.isEmpty {
      writePlain(redaction.redacted(request), to: &key)
    } else if redaction.mayHide(request) {
      writePlain(redaction.comparable(request), to: &key)
    } else {
      writePlain(request, to: &key)
    }
    if request.fields.mayNameVariant {
      let variant = RequestVariant(request.fields, redaction).fields
      key.append(variant.filter { $0.role == .operation })
      key.endPlain()
      key.append(variant.filter { $0.role != .operation })
    } else {
      key.endPlain()
    }
  }

  /// - Parameter request: without its secrets.
  private func writePlain(_ request: HTTPRequest, to key: inout KeyWriter) {
    // Most targets are a path that needs no normalizing.
    let isPath = !request.target.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "%") }
    for part in parts {
      switch part {
      case .method: key.append(request.method.rawValue)
      case .path where isPath: key.append(request.target)
      case .path: key.append(ComparedPath.normalized(request.path))
      case .query where isPath: key.append(count: 0)
      case .query: key.append(pairs: request.comparedQuery(rules))
      case .body: key.append(bodyOf: request, rules)
      case .host: key.append(request.comparedHost)
      }
    }
    for name in headers { key.append(components: request.values(of: name)) }
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

/// The parts of a request as they are compared.
extension HTTPRequest {
  /// The pairs of the query that count, in the order of their bytes. A GraphQL document in `query` is taken by its
  /// tokens.
  func comparedQuery(_ rules: MatchRules) -> [FormPairs.Pair] {
    guard let query else { return [] }
    var pairs = FormPairs(query)
    for index in pairs.pairs.indices where pairs.pairs[index].name.elementsEqual("query".utf8) {
      if let document = GraphQLDocument(pairs.pairs[index].value) {
        pairs.pairs[index].value = document.canonical
      }
    }
    return rules.ignoredQuery.isEmpty
      ? pairs.sorted : pairs.sorted.filter { !rules.ignoredQuery.matches($0.name) }
  }

  /// The host that the client addresses, in lower case and without the port, which differs in every run of a proxy that
  /// picks a free one.
  var comparedHost: [UInt8] {
    let end: Int
    if authority.first == UInt8(ascii: "["), let bracket = authority.firstIndex(of: UInt8(ascii: "]")) {
      end = bracket + 1
    } else {
      end = authority.lastIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
    }
    return authority[..<end].map(ASCII.lowercased)
  }

  /// Every value of the fields called `name` (lower case), in order.
  func values(of name: String) -> [ArraySlice<UInt8>] {
    let wanted = Array(name.utf8)
    return fields.filter { field in
      field.name.count == wanted.count && zip(field.name, wanted).allSatisfy { ASCII.lowercased($0) == $1 }
    }.map(\.value)
  }
}
