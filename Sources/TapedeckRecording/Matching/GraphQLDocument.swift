import TapedeckHTTP

/// A GraphQL document by its tokens (GraphQL specification, October 2021, §2.1); strings stay as written.
/// Without a grammar, a document is what begins like one, consists of tokens alone, and has balanced braces.
struct GraphQLDocument {
  /// The tokens, separated by blanks.
  let canonical: [UInt8]

  init?(_ text: [UInt8]) {
    guard text.contains(UInt8(ascii: "{")) else { return nil }
    var canonical: [UInt8] = []
    canonical.reserveCapacity(text.count)
    var depth = 0
    var hasSelection = false
    var index = Self.endOfIgnored(text, from: text.startIndex)
    while index < text.endIndex {
      guard let end = Self.endOfToken(text, from: index) else { return nil }
      if canonical.isEmpty {
        guard Self.opens(text[index..<end]) else { return nil }
      } else {
        canonical.append(0x20)
      }
      if text[index] == UInt8(ascii: "{") { (depth, hasSelection) = (depth + 1, true) }
      if text[index] == UInt8(ascii: "}") { depth -= 1 }
      guard depth >= 0 else { return nil }
      canonical += text[index..<end]
      index = Self.endOfIgnored(text, from: end)
    }
    guard depth == 0, hasSelection else { return nil }
    self.canonical = canonical
  }

  private static let keywords = ["query", "mutation", "subscription"].map { Array($0.utf8)[...] }

  private static func opens(_ token: ArraySlice<UInt8>) -> Bool {
    token.elementsEqual("{".utf8) || keywords.contains(token) || token.elementsEqual("fragment".utf8)
  }

  /// The name of the first operation or, if it has none, of its first field.
  var operation: ArraySlice<UInt8>? {
    let tokens = self.tokens
    var depth = 0
    for (token, next) in zip(tokens, tokens.dropFirst()) {
      if depth == 0, Self.keywords.contains(token), Self.isName(next) { return next }
      if token.elementsEqual("{".utf8) { depth += 1 }
      if token.elementsEqual("}".utf8) { depth -= 1 }
    }
    let selection = tokens.drop { !$0.elementsEqual("{".utf8) }.dropFirst()
    return selection.first.flatMap { Self.isName($0) ? $0 : nil }
  }

  private var tokens: [ArraySlice<UInt8>] {
    var tokens: [ArraySlice<UInt8>] = []
    var index = canonical.startIndex
    while index < canonical.endIndex, let end = Self.endOfToken(canonical, from: index) {
      tokens.append(canonical[index..<end])
      index = end + 1
    }
    return tokens
  }

  private static func isName(_ token: ArraySlice<UInt8>) -> Bool { token.first.map(isNameStart) ?? false }

  private static func isNameStart(_ byte: UInt8) -> Bool { ASCII.isLetter(byte) || byte == UInt8(ascii: "_") }
}

// MARK: - Tokens

extension GraphQLDocument {
  private static func endOfIgnored(_ text: [UInt8], from start: Int) -> Int {
    var index = start
    while index < text.endIndex {
      switch text[index] {
      case 0x20, 0x09, 0x0A, 0x0D, UInt8(ascii: ","): index += 1
      case UInt8(ascii: "#"): index = text[index...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? text.endIndex
      case 0xEF where text[index...].starts(with: [0xEF, 0xBB, 0xBF]): index += 3
      default: return index
      }
    }
    return index
  }

  private static func endOfToken(_ text: [UInt8], from start: Int) -> Int? {
    let byte = text[start]
    if isNameStart(byte) {
      return text[start...].firstIndex { !isNameStart($0) && !ASCII.isDigit($0) } ?? text.endIndex
    }
    if ASCII.isDigit(byte) || byte == UInt8(ascii: "-") {
      return text[(start + 1)...].firstIndex { !ASCII.isAlphanumeric($0) && !".+-".utf8.contains($0) }
        ?? text.endIndex
    }
    if byte == UInt8(ascii: "\"") { return endOfString(text, from: start) }
    if byte == UInt8(ascii: ".") { return text[start...].starts(with: "...".utf8) ? start + 3 : nil }
    return isPunctuator(byte) ? start + 1 : nil
  }

  private static func isPunctuator(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "("), UInt8(ascii: ")"),
      UInt8(ascii: ":"), UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"):
      true
    default: false
    }
  }

  private static func endOfString(_ text: [UInt8], from start: Int) -> Int? {
    let isBlock = text[start...].starts(with: "\"\"\"".utf8)
    var index = start + (isBlock ? 3 : 1)
    while index < text.endIndex {
      if isBlock, text[index...].starts(with: "\\\"\"\"".utf8) {
        index += 4
      } else if isBlock, text[index...].starts(with: "\"\"\"".utf8) {
        return index + 3
      } else if !isBlock, text[index] == UInt8(ascii: "\"") {
        return index + 1
      } else if !isBlock, text[index] == 0x0A || text[index] == 0x0D {
        return nil
      } else {
        index += !isBlock && text[index] == UInt8(ascii: "\\") ? 2 : 1
      }
    }
    return nil
  }
}

// MARK: - In JSON

extension GraphQLDocument {
  /// A GraphQL request or batch with each `query` in canonical form; anything else unchanged.
  static func normalized(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let members):
      guard let (index, document) = document(in: members),
        let text = JSONString(utf8: document.canonical[...])
      else { return value }
      var normalized = members
      normalized[index].value = .string(text)
      return .object(normalized)
    case .array(let items):
      guard case .object(let members)? = items.first, document(in: members) != nil else { return value }
      return .array(items.map { if case .object = $0 { normalized($0) } else { $0 } })
    default: return value
    }
  }

  /// The document in the member `query`, and the member's index.
  static func document(in members: [JSONMember]) -> (index: Int, document: GraphQLDocument)? {
    guard let index = members.firstIndex(where: { $0.name.isEqual(to: "query") }),
      case .string(let text) = members[index].value, let document = GraphQLDocument(text.decodedBytes)
    else { return nil }
    return (index, document)
  }
}
