/// Several paths on the way down a document: where it stands, and which of them can still lead somewhere.
///
/// Each path is a small automaton whose states are the bits of a word, so a step down costs the same however many ways
/// there are to have come here, and every place is met once.
package struct JSONPathCursor: Sendable {
  private struct Walk: Sendable {
    var path: JSONPath
    /// Bit *n* is set when the first *n* steps have been taken.
    var states: UInt64
  }

  private var walks: [Walk]

  /// At the root of a document.
  package init(_ paths: [JSONPath]) { walks = paths.map { Walk(path: $0, states: 1) } }

  private init(walks: [Walk]) { self.walks = walks }

  /// Whether no path leads to anything below.
  package var isLost: Bool { walks.isEmpty }

  /// Whether one of the paths selects this place.
  package var isSelected: Bool { walks.contains { $0.states >> UInt64($0.path.steps.count) & 1 == 1 } }

  /// At a member of the object it stands at.
  package func member(_ name: @autoclosure () -> [UInt8]) -> JSONPathCursor {
    if walks.isEmpty { return self }
    let name = name()
    return down { selector in
      switch selector {
      case .name(let wanted): wanted == name
      case .wildcard: true
      case .index: false
      }
    }
  }

  /// At an element of the array it stands at, which has `count` of them.
  package func element(_ index: Int, of count: Int) -> JSONPathCursor {
    if walks.isEmpty { return self }
    return down { selector in
      switch selector {
      case .index(let wanted): wanted == index || wanted == index - count
      case .wildcard: true
      case .name: false
      }
    }
  }

  private func down(_ selects: (JSONPath.Step.Selector) -> Bool) -> JSONPathCursor {
    var below: [Walk] = []
    for walk in walks {
      var states: UInt64 = 0
      for (index, step) in walk.path.steps.enumerated() where walk.states >> UInt64(index) & 1 == 1 {
        if step.descends { states |= 1 << UInt64(index) }
        if selects(step.selector) { states |= 1 << UInt64(index + 1) }
      }
      if states != 0 { below.append(Walk(path: walk.path, states: states)) }
    }
    return JSONPathCursor(walks: below)
  }
}
