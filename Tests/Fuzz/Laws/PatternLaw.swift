import TapedeckHTTP

/// Path patterns: an error, or a pattern that matches or not. A tree of several offers exactly those that match alone,
/// and its quick check is never wrong in saying that none does.
///
/// The input is lines: the first is a path, the others are patterns.
enum PatternLaw {
  static func check(_ input: [UInt8]) throws(BrokenLaw) {
    let lines = input.split(separator: 0x0A, omittingEmptySubsequences: false).prefix(6)
    let path = lines.first ?? []
    let patterns = lines.dropFirst().compactMap { try? PathPattern(String(decoding: $0, as: UTF8.self)) }
    try treeAgrees(patterns, path)
    try matchesItself(path)
  }

  private static func treeAgrees(
    _ patterns: [PathPattern], _ path: ArraySlice<UInt8>
  ) throws(BrokenLaw) {
    let tree = PathTree(patterns.map(\.segments))
    var offered: [Int] = []
    tree.offer(PathSegments(path)) { index in
      offered.append(index)
      return false
    }
    let matching = patterns.indices.filter { patterns[$0].match(path) != nil }
    try require(offered.sorted() == matching, "\(patterns) offered \(offered), and \(matching) match alone")
    guard !offered.isEmpty, !path.contains(UInt8(ascii: "?")) else { return }
    try require(tree.mayFit(target: Array(path)), "the quick check of \(patterns) denies \(offered)")
  }

  /// A path without parameters is a pattern that matches itself; each parameter takes the segment in its place.
  private static func matchesItself(_ path: ArraySlice<UInt8>) throws(BrokenLaw) {
    let text = String(decoding: path, as: UTF8.self)
    let bytes = Array(text.utf8)
    if !bytes.contains(where: { "{}:*".utf8.contains($0) }) {
      let own = try? PathPattern(text)
      try require(own?.match(bytes[...]) == [:], "\(text.debugDescription) does not match itself")
    }
    let parameters = bytes.split(separator: 0x2F).indices.map { "/{\($0)}" }.joined()
    let values = (try? PathPattern(parameters))?.match(bytes[...])
    try require(
      values?.count == bytes.split(separator: 0x2F).count,
      "parameters took \(String(describing: values)) of \(text)"
    )
  }
}
