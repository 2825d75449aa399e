import TapedeckHTTP

/// Reads the text of a spec.
struct MatchSpecReader {
  /// What names belong to.
  private enum List: String, CaseIterable {
    case headers = "headers:"
    case query = "query:ignore="
    case body = "body:ignore="
  }

  private let text: String
  private var list: List?

  init(_ text: String) { self.text = text }

  mutating func items() throws(MatchSpecError) -> [MatchSpec.Item] {
    var items: [MatchSpec.Item] = []
    for word in Self.split(Array(text.utf8)[...], at: UInt8(ascii: ",")) {
      guard !word.isEmpty else { throw .emptyWord(in: text) }
      items += try self.items(word)
    }
    return items
  }

  private mutating func items(_ word: ArraySlice<UInt8>) throws(MatchSpecError) -> [MatchSpec.Item] {
    let text = String(decoding: word, as: UTF8.self)
    if let part = MatchRules.Part(rawValue: text) {
      list = nil
      return [.part(part)]
    }
    if let begun = List.allCases.first(where: { text.hasPrefix($0.rawValue) }) {
      list = begun
      return try names(word.dropFirst(begun.rawValue.utf8.count), of: begun)
    }
    if text.hasPrefix("body:"), let form = MatchRules.BodyForm(rawValue: String(text.dropFirst(5))) {
      list = nil
      return [.bodyForm(form)]
    }
    let isPart = MatchRules.Part.allCases.contains { text.hasPrefix($0.rawValue + ":") }
    guard let list, !isPart else { throw .unknownWord(text) }
    return try names(word, of: list)
  }

  private func names(_ text: ArraySlice<UInt8>, of list: List) throws(MatchSpecError) -> [MatchSpec.Item] {
    var items: [MatchSpec.Item] = []
    for name in Self.split(text, at: UInt8(ascii: "+")) { items.append(try item(name, of: list)) }
    return items
  }

  private func item(_ name: ArraySlice<UInt8>, of list: List) throws(MatchSpecError) -> MatchSpec.Item {
    guard let pattern = NamePattern(name) else { throw .nameMissing(after: list.rawValue) }
    switch list {
    case .headers: return .header(try Self.header(name))
    case .query: return .ignoreQuery(pattern)
    case .body where name.first == UInt8(ascii: "$"):
      do throws(JSONPathError) {
        return .ignorePath(try JSONPath(String(decoding: name, as: UTF8.self)))
      } catch { throw .badPath(error) }
    case .body: return .ignoreField(pattern)
    }
  }

  /// Fields that a cassette keeps in another form than the client's, or not at all.
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

  /// The pieces between separators that stand outside of brackets and quotes, without blanks around them. Only behind
  /// a `$` are those anything but names.
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
    return (pieces + [text[start...]]).map(trimmed)
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

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let start = text.firstIndex { !ASCII.isBlank($0) } ?? text.endIndex
    let end = text.lastIndex { !ASCII.isBlank($0) }.map { $0 + 1 } ?? start
    return text[start..<max(start, end)]
  }
}
