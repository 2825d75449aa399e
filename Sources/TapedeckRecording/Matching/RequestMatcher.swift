public import TapedeckHTTP
public import TapedeckRedaction

/// Computes the keys of requests by rules; requests with the same key match. By default: method, path, query
/// as a multiset of decoded pairs, and body (JSON as JSON, forms as pairs, multipart without its boundary,
/// all else as bytes). The variant (`RequestVariant`) is always part of the key, and so is the origin in a
/// cassette of several.
///
/// A rule that ignores nothing in a request leaves its key unchanged, and so the names of unaffected files.
public struct RequestMatcher: Sendable, Equatable {
  public let rules: MatchRules
  /// Redacts requests before comparison, so that a request and its recording are redacted alike.
  public let redaction: Redaction
  /// Whether requests with one key may differ in parts that are checked for drift.
  public let seesDrift: Bool
  /// Whether requests name their origin, as in a cassette of several, and differ if it does.
  public let comparesOrigin: Bool
  private let components: [Component]
  private let headers: [String]
  /// Whether keys are made of the authority.
  private var comparesAuthority: Bool { comparesOrigin || rules.parts.contains(.host) }

  /// A component of a key: the origin, or a part that the rules name.
  private enum Component: Equatable {
    case origin
    case part(MatchRules.Part)
  }

  public init(
    _ rules: MatchRules = MatchRules(), redaction: Redaction = .off, comparesOrigin: Bool = false
  ) {
    self.rules = rules
    self.redaction = redaction
    self.comparesOrigin = comparesOrigin
    seesDrift = rules.leavesOut
    components =
      (comparesOrigin ? [.origin] : [])
      + MatchRules.Part.allCases.filter(rules.parts.contains).map { .part($0) }
    headers = rules.headers.sorted()
  }

  public func key(for request: HTTPRequest) -> MatchKey {
    var key = KeyWriter()
    write(request, to: &key)
    return MatchKey(key)
  }

  /// - Parameter bodyDigest: of the body, which is compared as bytes and is not in the request.
  func key(for request: HTTPRequest, bodyDigest: SHA256Digest) -> MatchKey {
    var key = KeyWriter()
    write(request, bodyDigest: bodyDigest, to: &key)
    return MatchKey(key)
  }

  func write(_ request: HTTPRequest, bodyDigest: SHA256Digest? = nil, to key: inout KeyWriter) {
    key.removeAll()
    if !headers.isEmpty {
      writePlain(redaction.redacted(request), bodyDigest, to: &key)
    } else if redaction.mayHide(request) {
      let comparable = redaction.comparable(request)
      writePlain(comparable, bodyDigest, to: &key)
      if bodyDigest == nil { key.note(request, redacted: comparable) }
    } else {
      writePlain(request, bodyDigest, to: &key)
      if bodyDigest == nil { key.note(request, redacted: request) }
    }
    if request.fields.hasVariant {
      let variant = RequestVariant(request.fields, redaction).fields
      key.append(variant.filter { $0.role == .operation })
      key.endPlain()
      key.append(variant.filter { $0.role != .operation })
    } else {
      key.endPlain()
    }
  }

  /// Whether a request has the key of a recorded one whose key is verbatim, as far as that is seen without making it:
  /// all that the key is made of has the same bytes, and redaction finds no more in target and body than it did in the
  /// recorded ones. `false` says nothing.
  func repeats(_ recorded: HTTPRequest, _ request: HTTPRequest) -> Bool {
    headers.isEmpty && !request.hasTrailers && request.method == recorded.method
      && request.target.hasSameBytes(as: recorded.target) && request.body.hasSameBytes(as: recorded.body)
      && (!comparesAuthority || request.scheme == recorded.scheme && request.authority == recorded.authority)
      && request.fields.hasSameLines(as: recorded.fields) { name in
        HTTPFields.variantRole(of: name) != nil || ASCII.equal(name, lowercase: "content-type")
          || ASCII.equal(name, lowercase: "content-encoding")
      }
      && !redaction.mayHideMore(in: request, than: recorded.fields)
  }

  /// - Parameter request: without its secrets.
  private func writePlain(_ request: HTTPRequest, _ bodyDigest: SHA256Digest?, to key: inout KeyWriter) {
    // Most targets are a path that needs no normalizing.
    let isPath = !request.target.contains { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "%") }
    for component in components {
      switch component {
      case .origin: key.append(originOf: request)
      case .part(.method): key.append(request.method.rawValue)
      case .part(.path) where isPath: key.append(request.target)
      case .part(.path): key.append(request.comparedPath)
      case .part(.query) where isPath: key.append(count: 0)
      case .part(.query): key.append(pairs: request.comparedQuery(rules))
      case .part(.body):
        if let bodyDigest { key.append(bodyDigest: bodyDigest) } else { key.append(bodyOf: request, rules) }
      case .part(.host): key.append(request.comparedHost)
      }
    }
    for name in headers { key.append(components: request.values(of: name)) }
  }

  /// The target without ignored query names.
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

extension HTTPRequest {
  /// The compared pairs of the query, sorted by bytes, with a GraphQL document in canonical form.
  func comparedQuery(_ rules: MatchRules) -> [FormPairs.Pair] {
    guard let query else { return [] }
    var pairs = FormPairs(query).comparingTokens(in: query)
    for index in pairs.pairs.indices where pairs.pairs[index].name.elementsEqual("query".utf8) {
      if let document = GraphQLDocument(pairs.pairs[index].value) {
        pairs.pairs[index].value = document.canonical
      }
    }
    return rules.ignoredQuery.isEmpty
      ? pairs.sorted : pairs.sorted.filter { !rules.ignoredQuery.matches($0.name) }
  }

  /// The path normalized by RFC 3986 §6.2.2.1 and §6.2.2.2. Dot segments and encoded `%2F` stay.
  var comparedPath: ArraySlice<UInt8> {
    let path = path
    guard path.contains(UInt8(ascii: "%")) else { return path }
    var out: [UInt8] = []
    out.reserveCapacity(path.count)
    var index = path.startIndex
    while index < path.endIndex {
      guard path[index] == UInt8(ascii: "%"), index + 2 < path.endIndex,
        let high = ASCII.hexValue(path[index + 1]), let low = ASCII.hexValue(path[index + 2])
      else {
        out.append(path[index])
        index += 1
        continue
      }
      let byte = high << 4 | low
      if ASCII.isAlphanumeric(byte) || "-._~".utf8.contains(byte) {
        out.append(byte)
      } else {
        out += PercentCoding.encoded(byte)
      }
      index += 3
    }
    return out[...]
  }

  /// The host in lower case, without the port, which changes when a proxy picks a free one.
  var comparedHost: [UInt8] {
    let end: Int
    if authority.first == UInt8(ascii: "["), let bracket = authority.firstIndex(of: UInt8(ascii: "]")) {
      end = bracket + 1
    } else {
      end = authority.lastIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
    }
    return authority[..<end].map(ASCII.lowercased)
  }

  func values(of name: String) -> [ArraySlice<UInt8>] {
    let wanted = Array(name.utf8)
    return fields.filter { field in
      field.name.count == wanted.count && zip(field.name, wanted).allSatisfy { ASCII.lowercased($0) == $1 }
    }.map(\.value)
  }
}
