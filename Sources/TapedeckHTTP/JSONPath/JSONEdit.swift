/// One change to the places of a JSON document that a path selects. The rest keeps its spelling.
public enum JSONEdit: Sendable, Equatable {
  /// Sets each place to a value. If the last step names a missing member, it is added.
  case set(JSONPath, JSONValue)
  /// Removes each place, except the document itself.
  case remove(JSONPath)
  /// Appends a value to each array.
  case append(JSONPath, JSONValue)

  public var path: JSONPath {
    switch self {
    case .set(let path, _), .remove(let path), .append(let path, _): path
    }
  }

  /// Returns the changed document; `nil` when the path selects nothing that can be changed this way.
  public func applied(to document: JSONValue) -> JSONValue? {
    var count = 0
    let result: JSONValue?
    switch self {
    case .set(let path, let value):
      if path.lastName != nil, let parent = path.parent {
        count = document.values(at: parent).count { $0.members != nil }
        result = document.setting(value, at: path)
        break
      }
      result = document.replacing([path]) { _ in
        count += 1
        return value
      }
    case .remove(let path):
      result = document.replacing([path]) { _ in
        count += 1
        return nil
      }
    case .append(let path, let value):
      result = document.replacing([path]) { list in
        guard case .array(let items) = list else { return list }
        count += 1
        return .array(items + [value])
      }
    }
    return count > 0 ? result : nil
  }
}
