/// What differs between two sorted lists of pairs, name by name.
enum PairsComparison {
  /// What the pairs belong to.
  enum Kind: String { case query, form }

  static func differences(
    recorded: [FormPairs.Pair], received: [FormPairs.Pair], kind: Kind
  ) -> [RequestDifference] {
    if recorded == received { return [] }
    let left = Dictionary(grouping: recorded, by: \.name)
    let right = Dictionary(grouping: received, by: \.name)
    return Set(left.keys).union(right.keys).sorted { $0.lexicographicallyPrecedes($1) }.compactMap { name in
      guard left[name] != right[name] else { return nil }
      return RequestDifference(
        field: "\(kind.rawValue) \(RequestDifference.quoted(name))", recorded: text(left[name]),
        received: text(right[name]),
        ignoredBy: NamePattern(exactly: name).map { "\(kind == .query ? "query" : "body"):ignore=\($0)" })
    }
  }

  private static func text(_ pairs: [FormPairs.Pair]?) -> String? {
    pairs?.map { RequestDifference.quoted($0.value) }.joined(separator: ", ")
  }
}
