/// Path patterns as a tree of their segments, built once and never changed.
///
/// A path is walked down literal first, then parameter, then wildcard, so patterns are offered the most specific first.
/// The cost depends on the depth of the path and not on the number of patterns.
package struct PathTree: Sendable {
  private struct Node {
    /// Its literal children, in the order of their hashes.
    var edges: Range<Int32> = 0..<0
    /// The lengths of those: the bit of each length is set, the highest for all that are longer.
    var lengths: UInt64 = 0
    /// The child for any segment; negative when there is none.
    var parameter: Int32 = -1
    /// Patterns that end here.
    var exact: [Int] = []
    /// Patterns that take all that follows.
    var rest: [Int] = []
  }

  private struct Edge {
    var hash: UInt64
    var key: [UInt8]
    var node: Int32
  }

  private typealias Tail = (pattern: Int, segments: ArraySlice<PathPattern.Segment>)

  private var nodes: [Node] = []
  private var edges: [Edge] = []
  private let foldsCase: Bool

  /// - Parameter patterns: known by their places here; those of the same path are offered in this order.
  package init(_ patterns: [[PathPattern.Segment]], foldsCase: Bool = false) {
    self.foldsCase = foldsCase
    _ = add(patterns.enumerated().map { ($0, $1[...]) })
  }

  /// Adds the node from which these patterns continue.
  private mutating func add(_ tails: [Tail]) -> Int32 {
    let place = nodes.count
    var node = Node()
    var literals: [[UInt8]: [Tail]] = [:]
    var parameters: [Tail] = []
    for (pattern, segments) in tails {
      let tail = (pattern, segments.dropFirst())
      switch segments.first {
      case nil: node.exact.append(pattern)
      case .rest?: node.rest.append(pattern)
      case .parameter?: parameters.append(tail)
      case .literal(let bytes)?:
        node.lengths |= Self.bit(bytes.count)
        literals[foldsCase ? PathSegments.folded(bytes) : bytes, default: []].append(tail)
      }
    }
    nodes.append(node)
    if !parameters.isEmpty { nodes[place].parameter = add(parameters) }
    let children = literals.map { key, tails in
      Edge(hash: key.withUnsafeBufferPointer(Self.hash), key: key, node: add(tails))
    }
    nodes[place].edges = Int32(edges.count)..<Int32(edges.count + children.count)
    edges += children.sorted { ($0.hash, $0.node) < ($1.hash, $1.node) }
    return Int32(place)
  }

  // MARK: Walking

  /// Offers the patterns that fit the path from segment `start` on, until one is taken.
  /// - Returns: whether one was.
  @discardableResult
  package func offer(_ path: PathSegments, from start: Int = 0, _ takes: (Int) -> Bool) -> Bool {
    offer(0, path, start, takes)
  }

  private func offer(_ place: Int32, _ path: PathSegments, _ index: Int, _ takes: (Int) -> Bool) -> Bool {
    let node = nodes[Int(place)]
    if index == path.keys.count {
      if node.exact.contains(where: takes) { return true }
    } else {
      let next = path.keys[index].withUnsafeBufferPointer { child(node, $0) }
      if let next, offer(next, path, index + 1, takes) { return true }
      if node.parameter >= 0, offer(node.parameter, path, index + 1, takes) { return true }
    }
    return node.rest.contains(where: takes)
  }

  /// The quick check before `offer`: whether some pattern may fit the path of a target, which ends at its first `?`.
  /// Allocates nothing. It neither decodes escaped segments nor folds case and answers true there, so true may be
  /// wrong; false never is.
  package func mayFit(target: [UInt8]) -> Bool {
    foldsCase
      || target.withUnsafeBufferPointer { target in
        mayFit(0, UnsafeBufferPointer(rebasing: target.prefix { $0 != UInt8(ascii: "?") }))
      }
  }

  private func mayFit(_ place: Int32, _ path: UnsafeBufferPointer<UInt8>) -> Bool {
    let node = nodes[Int(place)]
    if !node.rest.isEmpty { return true }
    guard let start = path.firstIndex(where: { $0 != UInt8(ascii: "/") }) else { return !node.exact.isEmpty }
    var end = start
    while end < path.count, path[end] != UInt8(ascii: "/") {
      if path[end] == UInt8(ascii: "%") { return true }
      end += 1
    }
    let tail = UnsafeBufferPointer(rebasing: path[end...])
    if node.parameter >= 0, mayFit(node.parameter, tail) { return true }
    guard let next = child(node, UnsafeBufferPointer(rebasing: path[start..<end])) else { return false }
    return mayFit(next, tail)
  }

  /// The child for a literal segment.
  private func child(_ node: Node, _ key: UnsafeBufferPointer<UInt8>) -> Int32? {
    guard node.lengths & Self.bit(key.count) != 0 else { return nil }
    let hash = Self.hash(key)
    var (low, high) = (Int(node.edges.lowerBound), Int(node.edges.upperBound))
    while low < high {
      let middle = (low + high) / 2
      if edges[middle].hash < hash { low = middle + 1 } else { high = middle }
    }
    while low < node.edges.upperBound, edges[low].hash == hash {
      if key.elementsEqual(edges[low].key) { return edges[low].node }
      low += 1
    }
    return nil
  }

  private static func bit(_ length: Int) -> UInt64 { 1 << UInt64(min(length, 63)) }

  /// FNV-1a.
  private static func hash(_ key: UnsafeBufferPointer<UInt8>) -> UInt64 {
    key.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
