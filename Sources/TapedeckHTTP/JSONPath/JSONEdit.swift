/// One change to a JSON document, at the places that a path selects. All that is not in these places keeps its spelling.
public enum JSONEdit: Sendable, Equatable {
  /// Puts a value in each place. Where the last step names a member that an object lacks, it is added.
  case set(JSONPath, JSONValue)
  /// Takes each place out; not the document itself.
  case remove(JSONPath)
  /// Puts a value behind the last of each list.
  case append(JSONPath, JSONValue)

  public var path: JSONPath {
    switch self {
    case .set(let path, _), .remove(let path), .append(let path, _): path
    }
  }

  /// The document with the change in it; nil when the path selects nothing that it could be made to.
  public func applied(to document: JSONValue) -> JSONValue? {
    var count = 0
    let result: JSONValue? =
      switch self {
      case .set(let path, let value): Self.set(value, path, document, &count)
      case .remove(let path):
        document.replacing([path]) { _ in
          count += 1
          return nil
        }
      case .append(let path, let value): Self.append(value, path, document, &count)
      }
    return count > 0 ? result : nil
  }

  private static func set(
    _ value: JSONValue, _ path: JSONPath, _ document: JSONValue, _ count: inout Int
  ) -> JSONValue? {
    guard path.lastName != nil, let parent = path.parent else {
      var found = 0
      let result = document.replacing([path]) { _ in
        found += 1
        return value
      }
      count = found
      return result
    }
    count = document.values(at: parent).count { $0.members != nil }
    return document.setting(value, at: path)
  }

  private static func append(
    _ value: JSONValue, _ path: JSONPath, _ document: JSONValue, _ count: inout Int
  ) -> JSONValue? {
    var found = 0
    let result = document.replacing([path]) { list in
      guard case .array(let items) = list else { return list }
      found += 1
      return .array(items + [value])
    }
    count = found
    return result
  }
}
