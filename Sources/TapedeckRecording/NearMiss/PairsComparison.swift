/// What differs between two sorted lists of pairs, name by name.
enum PairsComparison {
  /// - Parameter kind: what the pairs belong to, `query` or `form`.
  static func differences(
    recorded: [FormPairs.Pair], received: [FormPairs.Pair], kind: String
  ) -> [RequestDifference] {
    if recorded == received { return [] }
    let left = Dictionary(grouping: recorded, by: \.name)
    let right = Dictionary(grouping: received, by: \.name)
    return Set(left.keys).union(right.keys).sorted { $0.lexicographicallyPrecedes($1) }.compactMap { name in
      guard left[name] != right[name] else { return nil }
      return RequestDifference(
        field: "\(kind) \(RequestDifference.quoted(name))", recorded: text(left[name]),
        received: text(right[name]))
    }
  }

  private static func text(_ pairs: [FormPairs.Pair]?) -> String? {
    pairs?.map { RequestDifference.quoted($0.value) }.joined(separator: ", ")
  }
}
