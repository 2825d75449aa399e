/// Path patterns as a tree of their segments, made once and never altered.
///
/// A path is walked down literal first, then wildcard, then catch-all, so patterns are offered the most specific first;
/// what costs is the depth of the path and not the number of patterns.
package struct PathTree: Sendable {
  fileprivate struct Node: Sendable {
    var literals: [UInt64: [(key: [UInt8], node: Int)]] = [:]
    var wildcard: Int?
    /// Patterns that end here.
    var exact: [Int] = []
    /// Patterns that take all that follows.
    var rest: [Int] = []
  }

  private var nodes = [Node()]
  private let outline: PathOutline

  /// - Parameter patterns: known by their places here; those of the same path are offered in this order.
  package init(_ patterns: [[PathPattern.Segment]], foldsCase: Bool = false) {
    outline = PathOutline(patterns, foldsCase: foldsCase)
    for (index, pattern) in patterns.enumerated() {
      var place = 0
      var takesRest = false
      for segment in pattern {
        if case .rest = segment { takesRest = true } else { place = child(of: place, segment, foldsCase) }
      }
      if takesRest { nodes[place].rest.append(index) } else { nodes[place].exact.append(index) }
    }
  }

  private mutating func child(of place: Int, _ segment: PathPattern.Segment, _ foldsCase: Bool) -> Int {
    guard case .literal(let bytes) = segment else {
      if let known = nodes[place].wildcard { return known }
      nodes[place].wildcard = nodes.count
      nodes.append(Node())
      return nodes.count - 1
    }
    let key = foldsCase ? PathSegments.folded(bytes) : bytes
    if let known = nodes[place].node(for: key[...]) { return known }
    nodes[place].literals[Node.hash(key[...]), default: []].append((key, nodes.count))
    nodes.append(Node())
    return nodes.count - 1
  }

  /// Whether some pattern may fit the path of a target: quick, and wrong at most in saying so.
  package func mayFit(target: [UInt8]) -> Bool { outline.mayFit(target: target) }

  /// Offers the patterns that fit the path from segment `start` on, until one is taken.
  /// - Returns: whether one was.
  @discardableResult
  package func offer(_ path: PathSegments, from start: Int = 0, _ takes: (Int) -> Bool) -> Bool {
    offer(0, path, start, takes)
  }

  private func offer(_ place: Int, _ path: PathSegments, _ index: Int, _ takes: (Int) -> Bool) -> Bool {
    let node = nodes[place]
    if index == path.keys.count {
      if node.exact.contains(where: takes) { return true }
    } else {
      if let next = node.node(for: path.keys[index]), offer(next, path, index + 1, takes) { return true }
      if let next = node.wildcard, offer(next, path, index + 1, takes) { return true }
    }
    return node.rest.contains(where: takes)
  }
}

extension PathTree.Node {
  fileprivate func node(for key: ArraySlice<UInt8>) -> Int? {
    guard !literals.isEmpty, let entries = literals[Self.hash(key)] else { return nil }
    return entries.first { key.elementsEqual($0.key) }?.node
  }

  fileprivate static func hash(_ key: ArraySlice<UInt8>) -> UInt64 {
    key.withUnsafeBufferPointer { PathOutline.hash($0, foldsCase: false) }
  }
}
