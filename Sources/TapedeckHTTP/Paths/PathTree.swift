/// An immutable tree of path patterns. Tries literals, then parameters, then wildcards, so the most specific
/// pattern comes first, at a cost that does not depend on the number of patterns.
package struct PathTree: Sendable {
  private struct Node {
    /// The literal children, ordered by hash.
    var edges: Range<Int32> = 0..<0
    /// The lengths of the literals, one bit each; the highest bit stands for all longer ones.
    var lengths: UInt64 = 0
    /// The child for any segment; negative if none.
    var parameter: Int32 = -1
    var exact: [Int] = [] { didSet { hasExact = true } }
    /// Patterns whose wildcard starts here.
    var rest: [Int] = [] { didSet { hasRest = true } }
    private(set) var hasExact = false
    private(set) var hasRest = false
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

  /// - Parameter patterns: identified by index; equal patterns are offered in this order.
  package init(_ patterns: [[PathPattern.Segment]], foldsCase: Bool = false) {
    self.foldsCase = foldsCase
    _ = add(patterns.enumerated().map { ($0, $1[...]) })
  }

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

  /// Offers the patterns that match from segment `start` on, until `takes` accepts one; returns whether it
  /// did.
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

  /// A quick check before `offer`, without allocation: whether a pattern may match the path of a target. May
  /// be true wrongly, for escaped segments and folded case, but never false wrongly.
  package func mayFit(target: [UInt8]) -> Bool {
    if foldsCase { return true }
    // Pointers avoid retains.
    return nodes.withUnsafeBufferPointer { nodes in
      edges.withUnsafeBufferPointer { edges in
        target.withUnsafeBufferPointer { Self.mayFit(nodes, edges, 0, $0, from: 0) }
      }
    }
  }

  private static func mayFit(
    _ nodes: UnsafeBufferPointer<Node>, _ edges: UnsafeBufferPointer<Edge>, _ place: Int32,
    _ target: UnsafeBufferPointer<UInt8>, from offset: Int
  ) -> Bool {
    if nodes[Int(place)].hasRest { return true }
    var start = offset
    while start < target.count, target[start] == UInt8(ascii: "/") { start += 1 }
    var end = start
    while end < target.count, target[end] != UInt8(ascii: "/"), target[end] != UInt8(ascii: "?") {
      if target[end] == UInt8(ascii: "%") { return true }
      end += 1
    }
    if start == end { return nodes[Int(place)].hasExact }
    let parameter = nodes[Int(place)].parameter
    if parameter >= 0, mayFit(nodes, edges, parameter, target, from: end) { return true }
    let key = UnsafeBufferPointer(rebasing: target[start..<end])
    let (lengths, range) = (nodes[Int(place)].lengths, nodes[Int(place)].edges)
    guard lengths & bit(key.count) != 0, let next = child(edges, range, key) else { return false }
    return mayFit(nodes, edges, next, target, from: end)
  }

  private func child(_ node: Node, _ key: UnsafeBufferPointer<UInt8>) -> Int32? {
    guard node.lengths & Self.bit(key.count) != 0 else { return nil }
    return edges.withUnsafeBufferPointer { Self.child($0, node.edges, key) }
  }

  private static func child(
    _ edges: UnsafeBufferPointer<Edge>, _ range: Range<Int32>, _ key: UnsafeBufferPointer<UInt8>
  ) -> Int32? {
    let hash = hash(key)
    var (low, high) = (Int(range.lowerBound), Int(range.upperBound))
    while low < high {
      let middle = (low + high) / 2
      if edges[middle].hash < hash { low = middle + 1 } else { high = middle }
    }
    while low < range.upperBound, edges[low].hash == hash {
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
