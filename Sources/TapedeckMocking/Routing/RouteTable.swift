internal import TapedeckHTTP

/// The routes of a router as a tree of path segments, made anew after a change and never altered.
///
/// A path is walked down literal first, then wildcard, then catch-all, so candidates come in the order in which they
/// are to be asked; what costs is the depth of the path and not the number of routes.
final class RouteTable: Sendable {
  fileprivate struct Node: Sendable {
    var literals: [UInt64: [(key: [UInt8], node: Int)]] = [:]
    var wildcard: Int?
    /// Routes that end here, in the order in which they are asked.
    var exact: [Int] = []
    /// Routes that take all that follows.
    var rest: [Int] = []
  }

  let routes: [RegisteredRoute]
  let settings: RouterSettings
  private let nodes: [Node]

  init(_ routes: [RegisteredRoute], settings: RouterSettings) {
    self.settings = settings
    let routes = routes.sorted { $0.goesBefore($1) }
    var nodes = [Node()]
    for (index, route) in routes.enumerated() {
      var place = 0
      var takesRest = false
      for segment in route.pattern.segments {
        if case .rest = segment {
          takesRest = true
        } else {
          place = Self.child(of: place, segment, in: &nodes, foldsCase: !settings.isPathCaseSensitive)
        }
      }
      if takesRest { nodes[place].rest.append(index) } else { nodes[place].exact.append(index) }
    }
    self.routes = routes
    self.nodes = nodes
  }

  private static func child(
    of place: Int, _ segment: PathPattern.Segment, in nodes: inout [Node], foldsCase: Bool
  ) -> Int {
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

  /// The first route for which `accepts` has something, of those whose pattern fits the path from segment `start` on.
  func first<Result>(
    for path: PathSegments, from start: Int, _ accepts: (RegisteredRoute) -> Result?
  ) -> Result? {
    search(0, path, start, accepts)
  }

  private func search<Result>(
    _ place: Int, _ path: PathSegments, _ index: Int, _ accepts: (RegisteredRoute) -> Result?
  ) -> Result? {
    let node = nodes[place]
    if index == path.keys.count {
      if let result = firstAccepted(node.exact, accepts) { return result }
    } else {
      if let next = node.node(for: path.keys[index]), let result = search(next, path, index + 1, accepts) {
        return result
      }
      if let next = node.wildcard, let result = search(next, path, index + 1, accepts) { return result }
    }
    return firstAccepted(node.rest, accepts)
  }

  private func firstAccepted<Result>(
    _ indices: [Int], _ accepts: (RegisteredRoute) -> Result?
  ) -> Result? {
    for index in indices {
      if let result = accepts(routes[index]) { return result }
    }
    return nil
  }
}

extension RouteTable.Node {
  fileprivate func node(for key: ArraySlice<UInt8>) -> Int? {
    guard !literals.isEmpty, let entries = literals[Self.hash(key)] else { return nil }
    return entries.first { key.elementsEqual($0.key) }?.node
  }

  /// FNV-1a, which is enough where the keys are those of the routes.
  fileprivate static func hash(_ key: ArraySlice<UInt8>) -> UInt64 {
    key.withUnsafeBufferPointer { bytes in
      var hash: UInt64 = 0xCBF2_9CE4_8422_2325
      for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      return hash
    }
  }
}
