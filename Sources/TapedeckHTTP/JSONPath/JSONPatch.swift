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

  /// Reads the document of a patch. Members of operations that nobody knows are passed over, as RFC 6902 §4 wants it.
  public init(_ document: JSONValue) throws(JSONPatchError) {
    guard let items = document.array else { throw JSONPatchError(operation: nil, reason: .notAList) }
    var operations: [Operation] = []
    for (index, item) in items.enumerated() {
      do throws(Reason) { operations.append(try Self.operation(item)) } catch {
        throw JSONPatchError(operation: index, reason: error.reason)
      }
    }
    self.operations = operations
  }

  /// Why one operation is none, or cannot be done.
  struct Reason: Error {
    let reason: JSONPatchError.Reason

    init(_ reason: JSONPatchError.Reason) { self.reason = reason }
  }

  private static func operation(_ json: JSONValue) throws(Reason) -> Operation {
    guard json.members != nil else { throw Reason(.notAnObject) }
    let name = json["op"]?.text
    switch name {
    case "add": return .add(try pointer("path", json), try value(json))
    case "remove": return .remove(try pointer("path", json))
    case "replace": return .replace(try pointer("path", json), try value(json))
    case "move": return .move(from: try pointer("from", json), to: try pointer("path", json))
    case "copy": return .copy(from: try pointer("from", json), to: try pointer("path", json))
    case "test": return .test(try pointer("path", json), try value(json))
    default: throw Reason(.unknownOperation(name))
    }
  }

  private static func pointer(_ name: String, _ json: JSONValue) throws(Reason) -> JSONPointer {
    guard let text = json[name]?.text else { throw Reason(.missing(name)) }
    do { return try JSONPointer(text) } catch { throw Reason(.badPointer(error)) }
  }

  private static func value(_ json: JSONValue) throws(Reason) -> JSONValue {
    guard let value = json["value"] else { throw Reason(.missing("value")) }
    return value
  }
}

/// Why a document is no JSON patch, or why it could not be applied: which operation, from 0, and what is wrong with it.
public struct JSONPatchError: Error, Equatable, Sendable {
  public enum Reason: Equatable, Sendable {
    case notAList
    case notAnObject
    case unknownOperation(String?)
    case missing(String)
    case badPointer(JSONPointerError)
    case noSuchPlace(JSONPointer)
    case notAContainer(JSONPointer)
    case badIndex(JSONPointer)
    case removesDocument
    case movesIntoItself
    case testFailed(JSONPointer)
    case tooLarge(bytes: Int)
  }

  /// Nil where it is the document as a whole.
  public var operation: Int?
  public var reason: Reason
}

extension JSONPatchError: CustomStringConvertible {
  public var description: String { (operation.map { "operation \($0): " } ?? "") + reason.description }
}

extension JSONPatchError.Reason: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notAList: "a JSON patch is a list of operations"
    case .notAnObject: "must be an object like {\"op\": \"replace\", \"path\": \"/a\", \"value\": 1}"
    case .unknownOperation(let name):
      "\"op\" is \(name.map(\.debugDescription) ?? "missing"); known are add, remove, replace, move, copy and test"
    case .missing(let name): "\(name.debugDescription) is missing"
    case .badPointer(let error): error.description
    case .noSuchPlace(let pointer): "nothing stands at \(pointer.description.debugDescription)"
    case .notAContainer(let pointer):
      "what \(pointer.description.debugDescription) should be in is no object and no list"
    case .badIndex(let pointer):
      "\(pointer.description.debugDescription) does not end in an index of the list"
    case .removesDocument: "the document itself cannot be removed"
    case .movesIntoItself: "nothing can be moved into itself"
    case .testFailed(let pointer): "what stands at \(pointer.description.debugDescription) is not equal"
    case .tooLarge(let bytes): "the result would have more than \(bytes) bytes"
    }
  }
}
