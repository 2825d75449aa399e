/// A style of keys.
///
/// A name is split into words where the case changes and at `_`, `-` and blanks. An acronym is one word:
/// `userID` is `user` and `ID`, `htmlURLPath` is `html`, `URL` and `Path`, `commentIDs` is `comment` and
/// `IDs`. Leading and trailing underscores stay.
public struct KeyStyle: Sendable {
  /// Converts a key to this style.
  public let transform: @Sendable (String) -> String

  /// Creates a custom style.
  public init(_ transform: @escaping @Sendable (String) -> String) { self.transform = transform }

  /// `user_id`
  public static let snake = KeyStyle(joining: "_") { word, _ in word.lowercased() }
  /// `user-id`
  public static let kebab = KeyStyle(joining: "-") { word, _ in word.lowercased() }
  /// `UserId`
  public static let pascal = KeyStyle(joining: "") { word, _ in capitalized(word) }
  /// `userId`
  public static let camel = KeyStyle(joining: "") { word, index in
    index == 0 ? word.lowercased() : capitalized(word)
  }
  /// Every capital letter starts a word, as in Kakapo: `user_i_d`.
  public static let snakeByLetter = KeyStyle { name in
    var out = ""
    for character in name {
      let lower = character.lowercased()
      if lower != String(character), !out.isEmpty { out += "_" }
      out += lower
    }
    return out
  }
}

extension KeyStyle {
  private init(joining separator: String, _ spell: @escaping @Sendable (String, Int) -> String) {
    self.init { name in
      let head = name.prefix { $0 == "_" }
      let tail = name.dropFirst(head.count).reversed().prefix { $0 == "_" }.count
      let core = name.dropFirst(head.count).dropLast(tail)
      let words = Self.words(core).enumerated().map { spell($1, $0) }
      return head + words.joined(separator: separator) + String(repeating: "_", count: tail)
    }
  }

  private static func capitalized(_ word: String) -> String {
    word.prefix(1).uppercased() + word.dropFirst().lowercased()
  }

  static func words(_ name: Substring) -> [String] {
    let characters = Array(name)
    var words: [String] = []
    var word = ""
    for (index, character) in characters.enumerated() {
      let isSeparator = character == "_" || character == "-" || character == " "
      if isSeparator || startsWord(characters, at: index), !word.isEmpty {
        words.append(word)
        word = ""
      }
      if !isSeparator { word.append(character) }
    }
    return word.isEmpty ? words : words + [word]
  }

  /// A capital starts a word after a small letter, or as the last of several before a small letter.
  private static func startsWord(_ characters: [Character], at index: Int) -> Bool {
    guard index > 0, characters[index].isUppercase else { return false }
    if !characters[index - 1].isUppercase { return true }
    return index + 1 < characters.count && characters[index + 1].isLowercase
      && !isPlural(characters[(index + 1)...])
  }

  /// Whether the rest begins with the plural `s` of an acronym, not with a word in `s`.
  private static func isPlural(_ rest: ArraySlice<Character>) -> Bool {
    rest.first == "s" && rest.dropFirst().first?.isLowercase != true
  }
}
