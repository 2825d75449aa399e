extension JSONPatch {
  /// Copies can be nested so that a few lines make gigabytes.
  static let maximumBytes = 64 << 20

  /// The document after all operations. Throws what the first one that cannot be done lacks; then nothing is done.
  public func applied(to document: JSONValue) throws(JSONPatchError) -> JSONValue {
    var result = document
    for (index, operation) in operations.enumerated() {
      do throws(Reason) { result = try Self.apply(operation, to: result) } catch {
        throw JSONPatchError(operation: index, reason: error.reason)
      }
    }
    return result
  }

  private static func apply(_ operation: Operation, to document: JSONValue) throws(Reason) -> JSONValue {
    switch operation {
    case .add(let pointer, let value): return try add(value, at: pointer, to: document)
    case .remove(let pointer): return try remove(pointer, from: document)
    case .replace(let pointer, let value): return try replace(pointer, in: document, with: value)
    case .move(let from, let to):
      // RFC 6902 §4.4.
      guard !to.isInside(from) else { throw Reason(.movesIntoItself) }
      let value = try existing(from, in: document)
      return from == to ? document : try add(value, at: to, to: try remove(from, from: document))
    case .copy(let from, let to):
      let value = try existing(from, in: document)
      guard document.bytes().count + value.bytes().count <= maximumBytes else {
        throw Reason(.tooLarge(bytes: maximumBytes))
      }
      return try add(value, at: to, to: document)
    case .test(let pointer, let value):
      guard try existing(pointer, in: document).isEquivalent(to: value) else {
        throw Reason(.testFailed(pointer))
      }
      return document
    }
  }

  private static func existing(_ pointer: JSONPointer, in document: JSONValue) throws(Reason) -> JSONValue {
    guard let value = document.value(at: pointer) else { throw Reason(.noSuchPlace(pointer)) }
    return value
  }

  private static func add(
    _ value: JSONValue, at pointer: JSONPointer, to document: JSONValue
  ) throws(Reason) -> JSONValue {
    guard let last = pointer.tokens.last else { return value }
    return try document.changing(pointer, pointer.tokens.dropLast()) { container throws(Reason) in
      switch container {
      case .object(let members): return .object(members.setting(last, to: value))
      case .array(var items):
        // RFC 6902 §4.1: `-` is the place behind the last.
        let index = last == [UInt8(ascii: "-")] ? items.count : JSONPointer.index(last)
        guard let index, index <= items.count else { throw Reason(.badIndex(pointer)) }
        items.insert(value, at: index)
        return .array(items)
      default: throw Reason(.notAContainer(pointer))
      }
    }
  }

  private static func remove(_ pointer: JSONPointer, from document: JSONValue) throws(Reason) -> JSONValue {
    guard let last = pointer.tokens.last else { throw Reason(.removesDocument) }
    _ = try existing(pointer, in: document)
    return try document.changing(pointer, pointer.tokens.dropLast()) { container throws(Reason) in
      switch container {
      case .object(let members): return .object(members.filter { !$0.name.isEqual(to: last) })
      case .array(var items):
        if let index = JSONPointer.index(last) { items.remove(at: index) }
        return .array(items)
      default: throw Reason(.noSuchPlace(pointer))
      }
    }
  }

  private static func replace(
    _ pointer: JSONPointer, in document: JSONValue, with value: JSONValue
  ) throws(Reason) -> JSONValue {
    _ = try existing(pointer, in: document)
    return try document.changing(pointer, pointer.tokens[...]) { _ throws(Reason) in value }
  }
}

extension JSONValue {
  /// The document with what `change` makes of the value that the tokens lead to.
  fileprivate func changing(
    _ pointer: JSONPointer, _ tokens: ArraySlice<[UInt8]>,
    _ change: (JSONValue) throws(JSONPatch.Reason) -> JSONValue
  ) throws(JSONPatch.Reason) -> JSONValue {
    guard let token = tokens.first else { return try change(self) }
    switch self {
    case .object(var members):
      guard let index = members.lastIndex(where: { $0.name.isEqual(to: token) }) else { break }
      members[index].value = try members[index].value.changing(pointer, tokens.dropFirst(), change)
      return .object(members)
    case .array(var items):
      guard let index = JSONPointer.index(token), index < items.count else { break }
      items[index] = try items[index].changing(pointer, tokens.dropFirst(), change)
      return .array(items)
    default: break
    }
    throw JSONPatch.Reason(.noSuchPlace(pointer))
  }
}

extension [JSONMember] {
  /// With this value under the name: in the place of the last that has it, else as the last member.
  func setting(_ name: [UInt8], to value: JSONValue) -> [JSONMember] {
    var members = self
    if let index = members.lastIndex(where: { $0.name.isEqual(to: name) }) {
      members[index].value = value
    } else if let string = JSONString(utf8: name[...]) {
      members.append(JSONMember(string, value))
    }
    return members
  }
}
