internal import TapedeckHTTP

/// A collection whose order differs from run to run, and that is written in an order of its own all the same.
protocol UnorderedCollection {
  /// Puts what was encoded in order.
  static func sort(_ node: EncodingNode)
}

extension Set: UnorderedCollection {
  /// In the order of what the elements are written as.
  static func sort(_ node: EncodingNode) {
    guard case .array(let elements) = node.content else { return }
    node.content = .array(elements.sortedByText { $0.json })
  }
}

extension Dictionary: UnorderedCollection {
  /// In the order of the names. One whose keys are no names is encoded as keys and values in turn.
  static func sort(_ node: EncodingNode) {
    switch node.content {
    case .object(let members):
      node.content = .object(
        members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) })
    case .array(let items) where items.count.isMultiple(of: 2):
      let pairs = stride(from: 0, to: items.count, by: 2).map { [items[$0], items[$0 + 1]] }
      node.content = .array(pairs.sortedByText { $0[0].json }.flatMap { $0 })
    default: return
    }
  }
}

extension Array {
  fileprivate func sortedByText(_ json: (Element) -> JSONValue) -> [Element] {
    map { (text: json($0).bytes(), element: $0) }
      .sorted { $0.text.lexicographicallyPrecedes($1.text) }.map(\.element)
  }
}
