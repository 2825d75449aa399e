/// A list of operations that turn one JSON document into another (RFC 6902).
public struct JSONPatch: Sendable, Equatable {
  enum Operation: Sendable, Equatable {
    case add(JSONPointer, JSONValue)
    case remove(JSONPointer)
    case replace(JSONPointer, JSONValue)
    case move(from: JSONPointer, to: JSONPointer)
    case copy(from: JSONPointer, to: JSONPointer)
    case test(JSONPointer, JSONValue)
  }

  let operations: [Operation]

  public var isEmpty: Bool { operations.isEmpty }

  /// Reads a patch. Ignores unknown members of operations (RFC 6902 §4).
  public init(_ document: JSONValue) throws(JSONPatchError) {
    guard let items = document.array else { throw JSONPatchError("a JSON patch is a list of operations") }
    var operations: [Operation] = []
    for (index, item) in items.enumerated() {
      do throws(JSONPatchError) { operations.append(try Self.operation(item)) } catch {
        throw error.inOperation(index)
      }
    }
    self.operations = operations
  }

  private static func operation(_ json: JSONValue) throws(JSONPatchError) -> Operation {
    guard json.members != nil else {
      throw JSONPatchError(#"must be an object like {"op": "replace", "path": "/a", "value": 1}"#)
    }
    let name = json["op"]?.text
    switch name {
    case "add": return .add(try pointer("path", json), try value(json))
    case "remove": return .remove(try pointer("path", json))
    case "replace": return .replace(try pointer("path", json), try value(json))
    case "move": return .move(from: try pointer("from", json), to: try pointer("path", json))
    case "copy": return .copy(from: try pointer("from", json), to: try pointer("path", json))
    case "test": return .test(try pointer("path", json), try value(json))
    default:
      let found = name.map(\.debugDescription) ?? "missing"
      throw JSONPatchError(
        "\"op\" is \(found); known are add, remove, replace, move, copy and test")
    }
  }

  private static func pointer(_ name: String, _ json: JSONValue) throws(JSONPatchError) -> JSONPointer {
    guard let text = json[name]?.text else { throw JSONPatchError("\(name.debugDescription) is missing") }
    return try JSONPointer(text)
  }

  private static func value(_ json: JSONValue) throws(JSONPatchError) -> JSONValue {
    guard let value = json["value"] else { throw JSONPatchError("\"value\" is missing") }
    return value
  }
}

extension JSONPatch {
  /// A bound, because nested copies can turn a few lines into gigabytes.
  static let maximumBytes = 64 << 20

  /// Returns the document after all operations. Throws for the first that fails; then none is applied.
  public func applied(to document: JSONValue) throws(JSONPatchError) -> JSONValue {
    var result = document
    for (index, operation) in operations.enumerated() {
      do throws(JSONPatchError) { result = try Self.apply(operation, to: result) } catch {
        throw error.inOperation(index)
      }
    }
    return result
  }

  private static func apply(_ operation: Operation, to document: JSONValue) throws(JSONPatchError)
    -> JSONValue
  {
    switch operation {
    case .add(let pointer, let value): return try add(value, at: pointer, to: document)
    case .remove(let pointer): return try remove(pointer, from: document)
    case .replace(let pointer, let value): return try replace(pointer, in: document, with: value)
    case .move(let from, let to):
      // RFC 6902 §4.4.
      guard !to.isInside(from) else { throw JSONPatchError("nothing can be moved into itself") }
      let value = try existing(from, in: document)
      return from == to ? document : try add(value, at: to, to: try remove(from, from: document))
    case .copy(let from, let to):
      let value = try existing(from, in: document)
      guard document.bytes().count + value.bytes().count <= maximumBytes else {
        throw JSONPatchError("the result would have more than \(maximumBytes) bytes")
      }
      return try add(value, at: to, to: document)
    case .test(let pointer, let value):
      guard try existing(pointer, in: document).isEquivalent(to: value) else {
        throw JSONPatchError("what stands at \(pointer.description.debugDescription) is not equal")
      }
      return document
    }
  }

  private static func existing(_ pointer: JSONPointer, in document: JSONValue) throws(JSONPatchError)
    -> JSONValue
  {
    guard let value = document.value(at: pointer) else {
      throw JSONPatchError("nothing stands at \(pointer.description.debugDescription)")
    }
    return value
  }

  private static func add(
    _ value: JSONValue, at pointer: JSONPointer, to document: JSONValue
  ) throws(JSONPatchError) -> JSONValue {
    guard let last = pointer.tokens.last else { return value }
    return try document.changing(pointer, pointer.tokens.dropLast()) { container throws(JSONPatchError) in
      switch container {
      case .object(let members): return .object(members.setting(last, to: value))
      case .array(var items):
        // RFC 6902 §4.1: `-` is the place after the last element.
        let index = last == [UInt8(ascii: "-")] ? items.count : JSONPointer.index(last)
        guard let index, index <= items.count else {
          throw JSONPatchError("\(pointer.description.debugDescription) does not end in an index of the list")
        }
        items.insert(value, at: index)
        return .array(items)
      default:
        throw JSONPatchError(
          "what \(pointer.description.debugDescription) should be in is no object and no list")
      }
    }
  }

  private static func remove(_ pointer: JSONPointer, from document: JSONValue) throws(JSONPatchError)
    -> JSONValue
  {
    guard let last = pointer.tokens.last else {
      throw JSONPatchError("the document itself cannot be removed")
    }
    _ = try existing(pointer, in: document)
    return try document.changing(pointer, pointer.tokens.dropLast()) { container throws(JSONPatchError) in
      switch container {
      case .object(let members): return .object(members.filter { !$0.name.isEqual(to: last) })
      case .array(var items):
        if let index = JSONPointer.index(last) { items.remove(at: index) }
        return .array(items)
      default: throw JSONPatchError("nothing stands at \(pointer.description.debugDescription)")
      }
    }
  }

  private static func replace(
    _ pointer: JSONPointer, in document: JSONValue, with value: JSONValue
  ) throws(JSONPatchError) -> JSONValue {
    _ = try existing(pointer, in: document)
    return try document.changing(pointer, pointer.tokens[...]) { _ throws(JSONPatchError) in value }
  }
}

extension JSONValue {
  fileprivate func changing(
    _ pointer: JSONPointer, _ tokens: ArraySlice<[UInt8]>,
    _ change: (JSONValue) throws(JSONPatchError) -> JSONValue
  ) throws(JSONPatchError) -> JSONValue {
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
    throw JSONPatchError("nothing stands at \(pointer.description.debugDescription)")
  }
}

extension [JSONMember] {
  /// Sets the last member of this name, or appends one.
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

/// Why a document is not a JSON patch, or could not be applied.
public struct JSONPatchError: Error, Equatable, CustomStringConvertible {
  /// The index of the failed operation, from 0; `nil` for the document as a whole.
  private var operation: Int?
  private let problem: String

  init(_ problem: String) { self.problem = problem }

  fileprivate func inOperation(_ index: Int) -> JSONPatchError {
    var error = self
    error.operation = index
    return error
  }

  public var description: String { (operation.map { "operation \($0): " } ?? "") + problem }
}
