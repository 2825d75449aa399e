/// The shape of a path tree in plain numbers, to tell the many paths that no pattern fits from the few that one may: without
/// an allocation, and without looking at anything but the path's bytes.
struct PathOutline: Sendable {
  private struct Node {
    /// Its literal children, by hash.
    var edges: Range<Int32>
    /// How long they are: the bit of each length is set, the highest for all that are longer.
    var lengths: UInt64 = 0
    var wildcard: Int32
    /// Whether a pattern ends here; and whether one takes all that follows.
    var isEnd: Bool
    var takesRest: Bool
  }

  private struct Edge {
    var hash: UInt64
    var node: Int32
  }

  private var nodes: [Node] = []
  private var edges: [Edge] = []
  private let foldsCase: Bool

  init(_ patterns: [[PathPattern.Segment]], foldsCase: Bool) {
    self.foldsCase = foldsCase
    _ = add(patterns.map { $0[...] })
  }

  /// Adds the node at which these patterns' rests begin.
  private mutating func add(_ patterns: [ArraySlice<PathPattern.Segment>]) -> Int32 {
    let place = nodes.count
    nodes.append(Node(edges: 0..<0, wildcard: -1, isEnd: false, takesRest: false))
    var literals: [UInt64: [ArraySlice<PathPattern.Segment>]] = [:]
    var wildcards: [ArraySlice<PathPattern.Segment>] = []
    for pattern in patterns {
      switch pattern.first {
      case nil: nodes[place].isEnd = true
      case .rest?: nodes[place].takesRest = true
      case .parameter?: wildcards.append(pattern.dropFirst())
      case .literal(let bytes)?:
        nodes[place].lengths |= Self.bit(bytes.count)
        let hash = bytes.withUnsafeBufferPointer { Self.hash($0, foldsCase: foldsCase) }
        literals[hash, default: []].append(pattern.dropFirst())
      }
    }
    if !wildcards.isEmpty { nodes[place].wildcard = add(wildcards) }
    let children = literals.keys.sorted().map { hash in Edge(hash: hash, node: add(literals[hash] ?? [])) }
    nodes[place].edges = Int32(edges.count)..<Int32(edges.count + children.count)
    edges += children
    return Int32(place)
  }

  /// Whether some pattern may fit the path of a target, which ends at its first `?`.
  func mayFit(target: [UInt8]) -> Bool {
    target.withUnsafeBufferPointer { target in
      let path = UnsafeBufferPointer(rebasing: target.prefix { $0 != UInt8(ascii: "?") })
      return nodes.withUnsafeBufferPointer { nodes in
        edges.withUnsafeBufferPointer { edges in
          Walk(nodes: nodes, edges: edges, path: path, foldsCase: foldsCase).fits(0, 0)
        }
      }
    }
  }

  private struct Walk {
    let nodes: UnsafeBufferPointer<Node>
    let edges: UnsafeBufferPointer<Edge>
    let path: UnsafeBufferPointer<UInt8>
    let foldsCase: Bool

    /// Whether a pattern that has come to the node fits what follows in the path.
    func fits(_ place: Int, _ index: Int) -> Bool {
      let node = nodes[place]
      if node.takesRest { return true }
      var start = index
      while start < path.count, path[start] == UInt8(ascii: "/") { start += 1 }
      guard start < path.count else { return node.isEnd }
      var end = start
      while end < path.count, path[end] != UInt8(ascii: "/") {
        // What is escaped is for the tree itself.
        if path[end] == UInt8(ascii: "%") { return true }
        end += 1
      }
      if node.wildcard >= 0, fits(Int(node.wildcard), end) { return true }
      guard node.lengths & PathOutline.bit(end - start) != 0 else { return false }
      let hash = PathOutline.hash(UnsafeBufferPointer(rebasing: path[start..<end]), foldsCase: foldsCase)
      guard let next = child(node, hash) else { return false }
      return fits(next, end)
    }

    private func child(_ node: Node, _ hash: UInt64) -> Int? {
      var (low, high) = (Int(node.edges.lowerBound), Int(node.edges.upperBound))
      while low < high {
        let middle = (low + high) / 2
        if edges[middle].hash == hash { return Int(edges[middle].node) }
        if edges[middle].hash < hash { low = middle + 1 } else { high = middle }
      }
      return nil
    }
  }

  private static func bit(_ length: Int) -> UInt64 { 1 << UInt64(min(length, 63)) }

  /// FNV-1a, which is enough where the keys are those of the patterns.
  static func hash(_ key: UnsafeBufferPointer<UInt8>, foldsCase: Bool) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in key {
      hash = (hash ^ UInt64(foldsCase ? ASCII.lowercased(byte) : byte)) &* 0x100_0000_01B3
    }
    return hash
  }
}
