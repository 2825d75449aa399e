/// Guesses what was meant.
enum Spelling {
  /// "; did you mean …?" when something close is known, else nothing.
  static func hint(_ word: String, among known: [String]) -> String {
    let best = known.map { ($0, distance(Array(word.utf8), Array($0.utf8))) }.min { $0.1 < $1.1 }
    guard let best, best.1 <= max(1, word.utf8.count / 3) else { return "" }
    return "; did you mean \(best.0)?"
  }

  /// Levenshtein's distance.
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var row = Array(0...right.count)
    for (i, a) in left.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, b) in right.enumerated() {
        let above = row[j + 1]
        row[j + 1] = min(above + 1, row[j] + 1, diagonal + (a == b ? 0 : 1))
        diagonal = above
      }
    }
    return row[right.count]
  }
}
