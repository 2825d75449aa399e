public import TapedeckHTTP

/// Entities as plain objects: `{"id": "1", "title": "…", "authorID": "7"}`.
public struct RESTSerializer: ResourceSerializer {
  private let style: KeyStyle?
  private let hasRoot: Bool

  /// - Parameters:
  ///   - style: how keys are spelled, at the top of an entity; nil for as they are in Swift.
  ///   - hasRoot: whether entities stand under their name: `{"article": {…}}`, `{"articles": […], "meta": {"total": 2}}`.
  public init(style: KeyStyle? = nil, hasRoot: Bool = false) {
    self.style = style
    self.hasRoot = hasRoot
  }

  public var contentType: String { "application/json" }

  public func key(for property: String) -> String { style?.transform(property) ?? property }

  public func document(of resource: ResourceView) -> JSONValue {
    let object = object(resource)
    return hasRoot ? .object([JSONMember(JSONString(key(for: resource.type)), object)]) : object
  }

  public func document(of list: ResourceListView) -> JSONValue {
    let objects = JSONValue.array(list.resources.map { object($0) })
    guard hasRoot else { return objects }
    return .object([
      JSONMember(JSONString(key(for: list.name)), objects),
      JSONMember("meta", ["total": JSONValue(list.total)]),
    ])
  }

  private func object(_ resource: ResourceView) -> JSONValue {
    .object(resource.members.map { JSONMember(JSONString(key(for: $0.name.text)), $0.value) })
  }

  public func entity(in body: JSONValue, of type: String) -> JSONValue? {
    let entity = hasRoot ? body[key(for: type)] : body
    return entity?.members == nil ? nil : entity
  }
}

extension ResourceSerializer where Self == RESTSerializer {
  /// Plain objects, keys as in Swift.
  public static var rest: RESTSerializer { RESTSerializer() }
  /// Objects under their name, keys like `author_id`.
  public static var snakeCase: RESTSerializer { RESTSerializer(style: .snake, hasRoot: true) }
}
