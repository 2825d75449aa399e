/// Follows several paths down a document. Each is an automaton whose states are the bits of a word, so a step
/// costs the same however many ways lead to a place, and each place is visited once.
package struct JSONPathCursor: Sendable {
  /// Bit *n* of the states is set when the first *n* steps of the path have been taken.
  private typealias Walk = (path: JSONPath, states: UInt64)

  private let walks: [Walk]

  package init(_ paths: [JSONPath]) { walks = paths.map { ($0, 1) } }

  private init(walks: [Walk]) { self.walks = walks }

  package var isLost: Bool { walks.isEmpty }

  package var isSelected: Bool { walks.contains { $0.states >> UInt64($0.path.steps.count) & 1 == 1 } }

  package func member(_ name: @autoclosure () -> [UInt8]) -> JSONPathCursor {
    if walks.isEmpty { return self }
    let selector = JSONPath.Step.Selector.name(name())
    return down { $0 == selector || $0 == .wildcard }
  }

  package func element(_ index: Int, of count: Int) -> JSONPathCursor {
    if walks.isEmpty { return self }
    return down { $0 == .index(index) || $0 == .index(index - count) || $0 == .wildcard }
  }

  private func down(_ selects: (JSONPath.Step.Selector) -> Bool) -> JSONPathCursor {
    var below: [Walk] = []
    for walk in walks {
      var states: UInt64 = 0
      for (index, step) in walk.path.steps.enumerated() where walk.states >> UInt64(index) & 1 == 1 {
        if step.descends { states |= 1 << UInt64(index) }
        if selects(step.selector) { states |= 1 << UInt64(index + 1) }
      }
      if states != 0 { below.append((walk.path, states)) }
    }
    return JSONPathCursor(walks: below)
  }
}

extension JSONValue {
  /// The selected values, in document order.
  public func values(at path: JSONPath) -> [JSONValue] {
    var found: [JSONValue] = []
    collect(JSONPathCursor([path])) { found.append($0) }
    return found
  }

  /// Whether the path selects anything.
  public func has(_ path: JSONPath) -> Bool { !values(at: path).isEmpty }

  private func collect(_ cursor: JSONPathCursor, _ take: (JSONValue) -> Void) {
    if cursor.isLost { return }
    if cursor.isSelected { take(self) }
    switch self {
    case .array(let items):
      for (index, item) in items.enumerated() {
        item.collect(cursor.element(index, of: items.count), take)
      }
    case .object(let members):
      for member in members { member.value.collect(cursor.member(member.name.decodedBytes), take) }
    default: break
    }
  }

  /// Replaces the selected values; `nil` removes one. Of nested selected places only the outer one counts.
  /// - Returns: `nil` when the document itself is removed.
  public func replacing(
    _ paths: [JSONPath], _ transform: (JSONValue) -> JSONValue?
  ) -> JSONValue? {
    replacing(JSONPathCursor(paths), transform)
  }

  private func replacing(_ cursor: JSONPathCursor, _ transform: (JSONValue) -> JSONValue?) -> JSONValue? {
    if cursor.isLost { return self }
    if cursor.isSelected { return transform(self) }
    switch self {
    case .array(let items):
      return .array(
        items.enumerated().compactMap { index, item in
          item.replacing(cursor.element(index, of: items.count), transform)
        })
    case .object(let members):
      return .object(
        members.compactMap { member in
          member.value.replacing(cursor.member(member.name.decodedBytes), transform)
            .map { JSONMember(member.name, $0) }
        })
    default: return self
    }
  }

  /// Returns the document without the selected values; `nil` when the document itself is selected.
  public func removing(_ paths: [JSONPath]) -> JSONValue? { replacing(paths) { _ in nil } }

  /// Returns the document with `value` at the path. If the last step names a missing member, it is added.
  public func setting(_ value: JSONValue, at path: JSONPath) -> JSONValue {
    guard let name = path.lastName, let parent = path.parent, let string = JSONString(utf8: name[...]) else {
      return replacing([path]) { _ in value } ?? value
    }
    let result = replacing([parent]) { container in
      guard case .object(var members) = container else { return container }
      if members.contains(where: { $0.name.isEqual(to: name) }) {
        for index in members.indices where members[index].name.isEqual(to: name) {
          members[index].value = value
        }
      } else {
        members.append(JSONMember(string, value))
      }
      return .object(members)
    }
    return result ?? self
  }
}
