import TapedeckHTTP

/// The words of a text that a secret may be: the values between the delimiters of URLs, forms and JSON, and
/// the words in them.
enum SecretWords {
  private static let delimiters = Array("/?&=;,\"'(){}[]<>|\\".utf8)
  private static let outerDelimiters = Array("\"'<>(){}[]|,\\".utf8)
  private static let pairDelimiters = Array("?&;:".utf8)
  private static let maximumBytes = 4096

  static func ranges(in text: ArraySlice<UInt8>) -> [Range<Int>] {
    var found: [Range<Int>] = []
    for outer in text.split(whereSeparator: { $0 <= 0x20 || outerDelimiters.contains($0) }) {
      guard outer.count >= CopyRule.minimumBytes else { continue }
      let values = outer.split(whereSeparator: { delimiters.contains($0) })
      if values.count > 1 || values.first?.count != outer.count {
        add(outer, to: &found)
        // Base64 has `/` and `=` in it.
        for pair in outer.split(whereSeparator: { pairDelimiters.contains($0) }) {
          if pair.count < outer.count { add(pair, to: &found) }
          if let equals = pair.firstIndex(of: UInt8(ascii: "=")) { add(pair[(equals + 1)...], to: &found) }
        }
      }
      for value in values {
        add(value, to: &found)
        add(partsOf: value, where: ASCII.isWord, to: &found)
      }
    }
    return found
  }

  private static func add(
    partsOf value: ArraySlice<UInt8>, where isWord: (UInt8) -> Bool, to found: inout [Range<Int>]
  ) {
    guard value.count >= CopyRule.minimumBytes, Placeholder.end(in: value, at: value.startIndex) == nil else {
      return
    }
    for part in value.split(whereSeparator: { !isWord($0) }) {
      if part.count < value.count { add(part, to: &found) }
      let runs = part.split { !ASCII.isAlphanumeric($0) }
      if runs.count > 1 { for run in runs { add(run, to: &found) } }
    }
  }

  private static func add(_ word: ArraySlice<UInt8>, to found: inout [Range<Int>]) {
    guard (CopyRule.minimumBytes...maximumBytes).contains(word.count),
      Placeholder.end(in: word, at: word.startIndex) == nil
    else { return }
    found.append(word.startIndex..<word.endIndex)
  }
}

/// Recognizes secrets by their hashes: after a crash, the placeholders of a session are all that is left of
/// its secrets.
package struct SecretHashes {
  private let search: SecretSearch
  private var placeholders: Set<[UInt8]> = []
  private var tried: Set<[UInt8]> = []
  /// The limit of words that are remembered as tried; others are hashed again.
  private static let maximumTried = 100_000
  private static let maximumDepth = 2

  package init(_ policy: RedactionPolicy) { search = SecretSearch(policy) }

  package var isEmpty: Bool { placeholders.isEmpty }

  /// Notes the placeholders in a text.
  package mutating func note(_ text: ArraySlice<UInt8>) {
    for range in Placeholder.ranges(in: text) { placeholders.insert(Array(text[range])) }
  }

  /// Adds the words of a text that have one of the hashes, and may be copied, to `known`.
  package mutating func recognize(in text: ArraySlice<UInt8>, _ known: inout KnownSecrets) {
    recognize(in: text, &known, depth: 0)
  }

  private mutating func recognize(in text: ArraySlice<UInt8>, _ known: inout KnownSecrets, depth: Int) {
    for range in SecretWords.ranges(in: text) where CopyRule.mayBeCopied(text[range]) {
      let word = Array(text[range])
      if tried.count < Self.maximumTried, !tried.insert(word).inserted { continue }
      if tried.count >= Self.maximumTried, tried.contains(word) { continue }
      guard let placeholder = search.placeholder(for: word[...], isCopied: false),
        placeholders.contains(placeholder)
      else { continue }
      known.add(word, placeholder)
    }
    guard depth < Self.maximumDepth else { return }
    for run in Base64.runs(in: text) {
      if let decoded = Base64.decodeText(text[run]) { recognize(in: decoded[...], &known, depth: depth + 1) }
    }
    for (mark, encoding) in [(UInt8(ascii: "%"), DecodedText.Encoding.path), (UInt8(ascii: "\\"), .json)]
    where text.contains(mark) {
      recognize(in: DecodedText(text, encoding).bytes, &known, depth: depth + 1)
    }
  }
}
