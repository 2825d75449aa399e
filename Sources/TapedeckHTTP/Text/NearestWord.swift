/// Guesses what was meant.
package enum NearestWord {
  /// The known word that is close enough to be the one that was meant.
  package static func to(_ word: String, among known: [String]) -> String? {
    let best = known.map { ($0, distance(Array(word.utf8), Array($0.utf8))) }.min { $0.1 < $1.1 }
    guard let best, best.1 <= max(1, word.utf8.count / 3) else { return nil }
    return best.0
  }

  /// Levenshtein's distance, where two neighbours that changed places are one mistake (optimal string alignment).
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var (before, above) = ([Int](), Array(0...right.count))
    for (i, a) in left.enumerated() {
      var row = [i + 1]
      for (j, b) in right.enumerated() {
        var best = min(above[j + 1] + 1, row[j] + 1, above[j] + (a == b ? 0 : 1))
        if i > 0, j > 0, a == right[j - 1], b == left[i - 1] { best = min(best, before[j - 1] + 1) }
        row.append(best)
      }
      (before, above) = (above, row)
    }
    return above[right.count]
  }
}
