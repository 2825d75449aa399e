internal import TapedeckHTTP

/// A look in which entities stand inside of something: `{"data": […], "total": 12}`.
struct EnvelopeSerializer: ResourceSerializer {
  let inner: any ResourceSerializer
  /// With the place `{{item}}`; nil for none.
  let item: JSONValue?
  /// With the place `{{items}}`, and maybe `{{total}}`, `{{count}}`, `{{page}}`, `{{pages}}`, `{{size}}`,
  /// `{{offset}}`, `{{next}}`, `{{previous}}`; nil for none.
  let list: JSONValue?

  static let listPlaces: Set<String> = [
    "items", "total", "count", "page", "pages", "size", "offset", "next", "previous",
  ]

  var contentType: String { inner.contentType }

  func key(for property: String) -> String { inner.key(for: property) }

  func document(of resource: ResourceView) -> JSONValue {
    let document = inner.document(of: resource)
    guard let item else { return document }
    return DocumentTemplate.filled(item) { $0 == "item" ? document : JSONValue?.none }
  }

  func document(of list: ResourceListView) -> JSONValue {
    guard let template = self.list else { return inner.document(of: list) }
    return DocumentTemplate.filled(template) { name in
      switch name {
      case "items": .array(list.resources.map { inner.document(of: $0) })
      case "total": JSONValue(list.total)
      case "count": JSONValue(list.resources.count)
      case "page": JSONValue(list.page)
      case "pages": JSONValue(list.pages)
      case "size": JSONValue(list.size)
      case "offset": JSONValue((list.page - 1) * list.size)
      case "next": list.next.map { JSONValue($0) } ?? .null
      case "previous": list.previous.map { JSONValue($0) } ?? .null
      default: JSONValue?.none
      }
    }
  }

  /// A body may stand in the envelope or without it.
  func entity(in body: JSONValue, of type: String) -> JSONValue? {
    let body = item.flatMap { DocumentTemplate.value("item", of: $0, in: body) } ?? body
    return inner.entity(in: body, of: type)
  }
}
