public import TapedeckHTTP

/// The value of `--match`, or of `match` in `cassette.json`: a comma-separated list of parts.
///
/// A list with `method`, `path`, `query` or `body` replaces the rules. Any other list adds parts, or parts to
/// ignore. Names after `headers:` and `…:ignore=` continue until the next part; `+` separates them too.
public struct MatchSpec: Sendable, Equatable {
  private var added = MatchRules()
  private var bodyForm: MatchRules.BodyForm?
  private var isWhole = false

  /// - Parameter texts: lists, which are joined.
  public init(_ texts: [String]) throws(MatchSpecError) {
    added.parts = []
    for text in texts { try read(text) }
    _ = try rules()
  }

  /// With further lists.
  package func adding(_ texts: [String]) throws(MatchSpecError) -> MatchSpec {
    var spec = self
    for text in texts { try spec.read(text) }
    _ = try spec.rules()
    return spec
  }

  /// The changed rules; throws when parts of the list contradict each other.
  public func rules(changing current: MatchRules = MatchRules()) throws(MatchSpecError) -> MatchRules {
    var rules = isWhole ? MatchRules() : current
    if isWhole { rules.parts = [] }
    rules.parts.formUnion(added.parts)
    rules.headers.formUnion(added.headers)
    rules.ignoredQuery.formUnion(added.ignoredQuery)
    rules.ignoredPaths.formUnion(added.ignoredPaths)
    rules.ignoredFields.formUnion(added.ignoredFields)
    rules.bodyForm = bodyForm ?? rules.bodyForm
    try Self.check(rules)
    return rules
  }

  /// Ignored places must be possible: a body compared as bytes has none.
  private static func check(_ rules: MatchRules) throws(MatchSpecError) {
    let path = rules.ignoredPaths.map { "\($0)" }.min()
    let field = rules.ignoredFields.map { "\($0)" }.min()
    switch rules.bodyForm {
    case .byType: break
    case .json: if let field { throw .needless("body:ignore=\(field)", with: "body:json") }
    case .form, .multipart:
      if let path { throw .needless("body:ignore=\(path)", with: "body:\(rules.bodyForm.rawValue)") }
    case .bytes: if let name = path ?? field { throw .needless("body:ignore=\(name)", with: "body:bytes") }
    }
  }
}

extension MatchRules {
  package func changed(_ spec: MatchSpec) throws(CassetteError) -> MatchRules {
    do throws(MatchSpecError) { return try spec.rules(changing: self) } catch { throw .invalidRules(error) }
  }
}

// MARK: - Reading

extension MatchSpec {
  private enum List: String, CaseIterable {
    case headers = "headers:"
    case query = "query:ignore="
    case body = "body:ignore="
  }

  private mutating func read(_ text: String) throws(MatchSpecError) {
    var list: List?
    for word in Self.split(Array(text.utf8)[...], at: UInt8(ascii: ",")) {
      guard !word.isEmpty else { throw .emptyWord(in: text) }
      try read(word, &list)
    }
  }

  private mutating func read(_ word: ArraySlice<UInt8>, _ list: inout List?) throws(MatchSpecError) {
    let text = String(decoding: word, as: UTF8.self)
    if let part = MatchRules.Part(rawValue: text) {
      list = nil
      added.parts.insert(part)
      isWhole = isWhole || part != .host
    } else if let begun = List.allCases.first(where: { text.hasPrefix($0.rawValue) }) {
      list = begun
      try readNames(word.dropFirst(begun.rawValue.utf8.count), of: begun)
    } else if text.hasPrefix("body:"), let form = MatchRules.BodyForm(rawValue: String(text.dropFirst(5))) {
      list = nil
      added.parts.insert(.body)
      bodyForm = form
    } else {
      let isPart = MatchRules.Part.allCases.contains { text.hasPrefix($0.rawValue + ":") }
      guard let list, !isPart else { throw .unknownWord(text) }
      try readNames(word, of: list)
    }
  }

  private mutating func readNames(_ text: ArraySlice<UInt8>, of list: List) throws(MatchSpecError) {
    for name in Self.split(text, at: UInt8(ascii: "+")) {
      guard let pattern = NamePattern(name) else { throw .nameMissing(after: list.rawValue) }
      switch list {
      case .headers: added.headers.insert(try Self.header(name))
      case .query:
        added.parts.insert(.query)
        added.ignoredQuery.insert(pattern)
      case .body:
        added.parts.insert(.body)
        guard name.first == UInt8(ascii: "$") else {
          added.ignoredFields.insert(pattern)
          continue
        }
        do throws(JSONPathError) {
          added.ignoredPaths.insert(try JSONPath(String(decoding: name, as: UTF8.self)))
        } catch { throw .badPath(error) }
      }
    }
  }

  /// Fields that a cassette stores in another form than the client's, or not at all.
  private static let notKept: Set<String> = [
    "host", "connection", "keep-alive", "proxy-connection", "transfer-encoding", "te", "trailer", "upgrade",
    "expect",
    "content-length", "accept-encoding", "proxy-authenticate", "proxy-authorization", "max-forwards",
  ]

  private static func header(_ name: ArraySlice<UInt8>) throws(MatchSpecError) -> String {
    let text = String(decoding: name.map(ASCII.lowercased), as: UTF8.self)
    var probe = HTTPFields()
    do throws(HTTPFieldError) { try probe.append(name: name, value: []) } catch {
      throw .badHeader(String(decoding: name, as: UTF8.self))
    }
    guard !notKept.contains(text) else { throw .headerNotKept(text) }
    return text
  }

  /// The trimmed pieces between separators, except those in brackets and quotes after a `$`.
  private static func split(_ text: ArraySlice<UInt8>, at separator: UInt8) -> [ArraySlice<UInt8>] {
    var pieces: [ArraySlice<UInt8>] = []
    var start = text.startIndex
    var index = text.startIndex
    while index < text.endIndex {
      if text[index] == separator {
        pieces.append(text[start..<index])
        start = index + 1
      } else if text[index] == UInt8(ascii: "["), text[start..<index].contains(UInt8(ascii: "$")) {
        index = endOfBracket(text, from: index)
      }
      index += 1
    }
    return (pieces + [text[start...]]).map { $0.trimmingBlanks() }
  }

  /// The index of the bracket that closes the one at `start`, or of the last byte.
  private static func endOfBracket(_ text: ArraySlice<UInt8>, from start: Int) -> Int {
    var quote: UInt8?
    var index = start + 1
    while index < text.endIndex {
      switch text[index] {
      case UInt8(ascii: "\\") where quote != nil: index += 1
      case let byte where byte == quote: quote = nil
      case UInt8(ascii: "'") where quote == nil, UInt8(ascii: "\"") where quote == nil: quote = text[index]
      case UInt8(ascii: "]") where quote == nil: return index
      default: break
      }
      index += 1
    }
    return text.endIndex - 1
  }
}

/// The reason a match spec is invalid.
public enum MatchSpecError: Error, Equatable, Sendable {
  case emptyWord(in: String)
  case unknownWord(String)
  case nameMissing(after: String)
  case badHeader(String)
  case headerNotKept(String)
  case badPath(JSONPathError)
  case needless(String, with: String)
}

extension MatchSpecError: CustomStringConvertible {
  public static let known =
    "method, path, query, body, host, headers:NAME, query:ignore=NAME, body:ignore=PATH, body:json, body:form, "
    + "body:multipart, body:bytes and body:auto"

  public var description: String {
    switch self {
    case .emptyWord(let text):
      "there is nothing between two commas, or at an end, of \(text.debugDescription)"
    case .unknownWord(let word): "\(word.debugDescription) is no part of a request; known are \(Self.known)"
    case .nameMissing(let word): "a name is missing after \(word.debugDescription)"
    case .badHeader(let name): "\(name.debugDescription) is no header name"
    case .headerNotKept(let name):
      name == "host"
        ? "the Host header is compared by the word host"
        : "the header \(name) cannot be compared: cassettes do not keep it as the client sent it"
    case .badPath(let error): "\(error)"
    case .needless(let word, let other): "\(word) and \(other) do not go together"
    }
  }
}
