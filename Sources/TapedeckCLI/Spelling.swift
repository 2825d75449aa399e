internal import TapedeckHTTP

/// Guesses what was meant.
enum Spelling {
  /// "; did you mean …?" when something close is known, else nothing.
  static func hint(_ word: String, among known: [String]) -> String {
    NearestWord.to(word, among: known).map { "; did you mean \($0)?" } ?? ""
  }
}
