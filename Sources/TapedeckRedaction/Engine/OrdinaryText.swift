import TapedeckHTTP

/// What stands where a secret could, but is code, a template, an example or a sentence.
enum OrdinaryText {
  /// Whether a value is not one, but stands for one: `${TOKEN}`, `<your token>`, `:password`, `YOUR_KEY`.
  static func isReference(_ value: ArraySlice<UInt8>) -> Bool {
    guard let first = value.first else { return true }
    let rest = value.dropFirst()
    switch first {
    case UInt8(ascii: "$"): return isVariable(rest)
    case UInt8(ascii: "<"):
      return value.last == UInt8(ascii: ">")
        && rest.dropLast().allSatisfy { ASCII.isWord($0) || " .=%[]'".utf8.contains($0) }
    case UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "&"), UInt8(ascii: "#"): return isName(rest)
    case UInt8(ascii: "%"): return rest.count < 3 || rest.first == UInt8(ascii: "(") || rest.last == first
    case UInt8(ascii: "{"): return value.last == UInt8(ascii: "}") && !rest.contains(UInt8(ascii: "\""))
    case UInt8(ascii: "\\"): return rest.first == UInt8(ascii: "(")
    case UInt8(ascii: "/"): return rest.first == UInt8(ascii: "^")
    default: return isExample(value)
    }
  }

  /// `${NAME}`, `$(command)`, `$NAME`, `$name`, `$1`.
  private static func isVariable(_ name: ArraySlice<UInt8>) -> Bool {
    guard let first = name.first else { return true }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "(") { return true }
    if name.count < 3, name.allSatisfy(ASCII.isDigit) { return true }
    let isCapitals = name.allSatisfy { $0 &- 0x41 < 26 || ASCII.isDigit($0) || $0 == UInt8(ascii: "_") }
    return !ASCII.isDigit(first) && (isCapitals || isIdentifier(name) && !name.contains(where: ASCII.isDigit))
  }

  private static let examples = [
    "your", "my-", "my_", "example", "changeme", "insert", "replace", "redacted",
  ]

  /// Whether a value is what a manual writes: `YOUR_API_KEY`, `your-token`, `API_TOKEN`, `USERNAME:PASSWORD`.
  private static func isExample(_ value: ArraySlice<UInt8>) -> Bool {
    guard value.count <= 40, value.allSatisfy({ ASCII.isLetter($0) || "_-: .".utf8.contains($0) }) else {
      return false
    }
    if examples.dropFirst().contains(where: { value.map(ASCII.lowercased).elementsEqual($0.utf8) }) {
      return true
    }
    let isJoined = value.contains(UInt8(ascii: "_")) || value.contains(UInt8(ascii: "-"))
    if isJoined, examples.contains(where: { starts(value, with: $0) }) { return true }
    return isName(value)
  }

  private static func starts(_ value: ArraySlice<UInt8>, with word: String) -> Bool {
    value.count > word.utf8.count && zip(value, word.utf8).allSatisfy { ASCII.lowercased($0) == $1 }
  }

  /// Whether a value is itself the name of a secret: `password`, `csrfToken`, `API_KEY`.
  static func isName(_ value: ArraySlice<UInt8>) -> Bool {
    guard value.count <= 40, isIdentifier(value), !value.contains(where: ASCII.isDigit) else { return false }
    let words = SecretNames.words(of: value)
    guard let last = words.last else { return false }
    return SecretNames.strength(of: words, in: .member) != .none
      && (words.count > 1 || SecretNames.strong.contains(last) || SecretNames.likely.contains(last))
  }

  private static func isIdentifier(_ value: ArraySlice<UInt8>) -> Bool {
    value.allSatisfy { ASCII.isWord($0) || $0 >= 0x80 }
  }

  // MARK: Code

  private static let roots = Set(
    [
      "app", "args", "config", "ctx", "data", "env", "event", "input", "local", "module", "opts", "options",
      "os",
      "params", "process", "props", "rails", "req", "request", "secrets", "self", "settings", "state",
      "system",
      "this", "user", "var", "vars",
    ].map { Array($0.utf8) })

  private static let keywords = Set(
    [
      "new", "await", "async", "function", "func", "lambda", "typeof", "yield", "string", "str", "int",
      "integer",
      "bool", "boolean", "text", "varchar", "char", "uuid", "optional", "required", "redacted", "hidden",
      "unset",
    ].map { Array($0.utf8) })

  /// Whether a value is a word of a programming language or a schema.
  static func isKeyword(_ value: ArraySlice<UInt8>) -> Bool {
    value.count <= 8 && keywords.contains(value.map(ASCII.lowercased))
  }

  private static let dataTypes = Set(
    [
      "bigint", "blob", "bytea", "character varying", "clob", "jsonb", "longtext", "mediumtext", "nchar",
      "ntext", "nvarchar", "nvarchar2", "smallint", "timestamptz", "tinyint", "tinytext", "varbinary",
      "varchar", "varchar2",
    ].map { Array($0.utf8) })

  /// Whether a value is a column's type in SQL: `varchar(255)`, `bytea`.
  static func isDataType(_ value: ArraySlice<UInt8>) -> Bool {
    guard (4...24).contains(value.count) else { return false }
    let name = value.prefix { $0 != UInt8(ascii: "(") }
    let size = value[name.endIndex...].dropFirst()
    let isSized = size.count > 1 && size.last == UInt8(ascii: ")")
    guard name.endIndex == value.endIndex || isSized else { return false }
    return size.dropLast().allSatisfy { ASCII.isDigit($0) || $0 == UInt8(ascii: ",") }
      && dataTypes.contains(name.map(ASCII.lowercased))
  }

  /// Whether a value without quotes is an expression: a call, an item, or members joined by full stops.
  /// - Parameters:
  ///   - next: the byte behind it.
  ///   - isSpaced: whether blanks stand around the mark before it, as in code.
  static func isExpression(_ value: ArraySlice<UInt8>, before next: UInt8?, isSpaced: Bool) -> Bool {
    if isKeyword(value) { return true }
    var parts = value.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    if parts.last?.isEmpty == true, parts.count > 1 { parts.removeLast() }
    let isChain = parts.allSatisfy { part in
      guard let first = part.first, !ASCII.isDigit(first) else { return false }
      return part.allSatisfy { ASCII.isWord($0) || "$!?&*:".utf8.contains($0) }
    }
    guard isChain else { return false }
    if let next, "([".utf8.contains(next) { return true }
    guard parts.count > 1, !value.contains(where: ASCII.isDigit) else { return false }
    return isSpaced || parts.first.map { roots.contains($0.map(ASCII.lowercased)) } == true
      || parts.last.map(isName) == true
  }

  /// Whether a value ends with a file's name: `orders/2026/17.json`.
  static func isFile(_ value: ArraySlice<UInt8>) -> Bool {
    guard value.contains(UInt8(ascii: "/")), let dot = value.lastIndex(of: UInt8(ascii: ".")) else {
      return false
    }
    let end = value[(dot + 1)...]
    return (2...5).contains(end.count) && end.allSatisfy { $0 &- 0x61 < 26 || ASCII.isDigit($0) }
  }

  // MARK: Labels

  private static let maximumLabelBytes = 200

  /// Whether a value reads as a word or sentence of an interface: `Client secret`, `¿Olvidó su contraseña?`.
  static func isLabel(_ value: ArraySlice<UInt8>) -> Bool {
    guard let first = value.first, first &- 0x41 < 26 || first >= 0x80, value.count <= maximumLabelBytes
    else {
      return false
    }
    return value.allSatisfy { ASCII.isLetter($0) || $0 >= 0x80 || " .,:;!?'()/-".utf8.contains($0) }
      && !zip(value, value.dropFirst()).contains { $0 &- 0x61 < 26 && $1 &- 0x41 < 26 }
  }

  // MARK: Sentences

  private static let fillers = Set(
    [
      "a", "an", "and", "are", "as", "at", "be", "but", "by", "can", "flag", "for", "from", "has", "if", "in",
      "instead", "is", "it", "may", "must", "not", "of", "on", "option", "or", "parameter", "set", "should",
      "so", "that", "the", "then", "to", "was", "when", "will", "with", "you",
    ].map { Array($0.utf8) })

  /// Whether a word holds a sentence together.
  static func isFiller(_ word: ArraySlice<UInt8>) -> Bool {
    word.count <= 9 && fillers.contains(word.filter(ASCII.isLetter).map(ASCII.lowercased))
  }

  /// Whether two more words follow, as in a sentence.
  static func continues(_ rest: ArraySlice<UInt8>) -> Bool {
    var rest = rest.prefix(40)
    for _ in 0..<2 {
      guard rest.first == ASCII.space else { return false }
      rest = rest.dropFirst()
      let word = rest.prefix { ASCII.isLetter($0) || $0 >= 0x80 || $0 == UInt8(ascii: "'") }
      guard !word.isEmpty else { return false }
      rest = rest[word.endIndex...]
      if let next = rest.first, "?!.".utf8.contains(next) { return true }
      if let next = rest.first, next != ASCII.space {
        return next == ASCII.lineFeed || next == UInt8(ascii: ",")
      }
    }
    return true
  }

  /// Whether a value has letters and digits, unlike the words of a sentence.
  static func isMade(_ value: ArraySlice<UInt8>) -> Bool {
    value.count >= 5 && value.contains(where: ASCII.isDigit) && value.contains(where: ASCII.isLetter)
  }
}
