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
