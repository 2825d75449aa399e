import TapedeckHTTP

/// A name taken apart into lower-case words: `X-Api-Key`, `apiKey`, `API_KEY` and `api key` are all `api`, `key`.
package struct NameWords {
  private static let maximumBytes = 80
  private static let maximumWords = 10

  package let words: [[UInt8]]

  package init(_ name: ArraySlice<UInt8>) {
    var words: [[UInt8]] = []
    var word: [UInt8] = []
    let name = name.suffix(Self.maximumBytes)
    for index in name.indices {
      let byte = name[index]
      let isLetter = ASCII.isLetter(byte)
      if Self.beginsWord(name, at: index) || !isLetter, !word.isEmpty {
        words.append(word)
        word = []
      }
      if isLetter { word.append(ASCII.lowercased(byte)) }
    }
    if !word.isEmpty { words.append(word) }
    self.words = Array(words.suffix(Self.maximumWords))
  }

  /// Whether a capital begins a word: after a small letter, or as the last of several before a small one (`APIKey`).
  private static func beginsWord(_ name: ArraySlice<UInt8>, at index: Int) -> Bool {
    guard isCapital(name[index]), index > name.startIndex else { return false }
    let isAfterSmall = isSmall(name[index - 1])
    let isBeforeSmall = index + 1 < name.endIndex && isSmall(name[index + 1])
    return isAfterSmall || isCapital(name[index - 1]) && isBeforeSmall
  }

  private static func isCapital(_ byte: UInt8) -> Bool { byte &- 0x41 < 26 }
  private static func isSmall(_ byte: UInt8) -> Bool { byte &- 0x61 < 26 }
}
