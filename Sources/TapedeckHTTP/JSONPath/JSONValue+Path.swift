extension JSONValue {
  /// What a path selects, in the order of the document.
  public func values(at path: JSONPath) -> [JSONValue] {
    var found: [JSONValue] = []
    collect(JSONPathCursor([path])) { found.append($0) }
    return found
  }

  /// Whether a path selects anything.
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

  /// The document with what the paths select replaced by what `transform` makes of it; nil takes it out. Where one
  /// selected place lies in another, only the outer one is asked about.
  /// - Returns: nil when the document itself is taken out.
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

  /// The document without what the paths select; nil when that is the document itself.
  public func removing(_ paths: [JSONPath]) -> JSONValue? { replacing(paths) { _ in nil } }

  /// The document with `value` where the path leads. Where the last step names a member that an object lacks, it is
  /// added; nothing else is made up.
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
