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
