extension String {
  /// The known word most similar to this one, if close enough.
  package func nearest(among known: [String]) -> String? {
    let best = known.map { ($0, Self.distance(Array(utf8), Array($0.utf8))) }.min { $0.1 < $1.1 }
    guard let best, best.1 <= max(1, utf8.count / 3) else { return nil }
    return best.0
  }

  /// Levenshtein distance, where swapping two neighbours is one edit (optimal string alignment).
  private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
    var (before, above) = ([Int](), Array(0...right.count))
    for (i, a) in left.enumerated() {
      var row = [i + 1]
      for (j, b) in right.enumerated() {
        var best = Swift.min(above[j + 1] + 1, row[j] + 1, above[j] + (a == b ? 0 : 1))
        if i > 0, j > 0, a == right[j - 1], b == left[i - 1] { best = Swift.min(best, before[j - 1] + 1) }
        row.append(best)
      }
      (before, above) = (above, row)
    }
    return above[right.count]
  }
}
