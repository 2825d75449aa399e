public import TapedeckHTTP

/// Entities as HAL: `_links` to themselves and to related entities, collections under `_embedded`
/// (draft-kelly-json-hal). The ids of linked entities are left out.
public struct HALSerializer: ResourceSerializer {
  /// Creates the serializer.
  public init() {}

  public var contentType: String { "application/hal+json" }

  /// The document of one resource.
  public func document(of resource: ResourceView) -> JSONValue {
    var links = [JSONMember("self", Self.link(resource.url))]
    var linked: Set<String> = []
    for related in resource.relationships where related.urls.count == related.ids.count {
      if let property = related.property { linked.insert(property) }
      let urls = related.urls.map { Self.link($0) }
      if related.isToMany {
        links.append(JSONMember(JSONString(related.name), .array(urls)))
      } else if let url = urls.first {
        links.append(JSONMember(JSONString(related.name), url))
      }
    }
    let members = resource.members.filter { !linked.contains($0.name.text) }
    return .object([JSONMember("_links", .object(links))] + members)
  }

  /// The document of a list.
  public func document(of list: ResourceListView) -> JSONValue {
    let links = list.links.map { JSONMember(JSONString($0.name), Self.link($0.url)) }
    let items = JSONValue.array(list.resources.map { document(of: $0) })
    return [
      "_links": .object(links), "total": JSONValue(list.total),
      "_embedded": .object([JSONMember(JSONString(list.name), items)]),
    ]
  }

  private static func link(_ url: String) -> JSONValue { ["href": JSONValue(url)] }

  public func entity(in body: JSONValue, of type: String) -> JSONValue? {
    guard let members = body.members else { return nil }
    return .object(members.filter { $0.name.text != "_links" && $0.name.text != "_embedded" })
  }
}

extension ResourceSerializer where Self == HALSerializer {
  /// HAL documents.
  public static var hal: HALSerializer { HALSerializer() }
}
