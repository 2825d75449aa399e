package import TapedeckHTTP
internal import TapedeckMocking

extension JSONValue {
  /// Fills in values by name: a text like `"{{items}}"` becomes the value, and `"no {{id}}"` contains its text.
  func filled(_ values: [String: JSONValue]) -> JSONValue {
    switch self {
    case .string(let string): Self.filled(string.text, values) ?? self
    case .array(let items): .array(items.map { $0.filled(values) })
    case .object(let members): .object(members.map { JSONMember($0.name, $0.value.filled(values)) })
    default: self
    }
  }

  /// Nil for a text without a known name.
  private static func filled(_ text: String, _ values: [String: JSONValue]) -> JSONValue? {
    if let name = name(in: text), let whole = values[name] { return whole }
    var (out, rest, isChanged) = ("", text[...], false)
    while let open = rest.firstRange(of: "{{"), let close = rest[open.upperBound...].firstRange(of: "}}") {
      let found = values[String(rest[open.upperBound..<close.lowerBound])]?.idText
      out += rest[..<open.lowerBound] + (found ?? String(rest[open.lowerBound..<close.upperBound]))
      if found != nil { isChanged = true }
      rest = rest[close.upperBound...]
    }
    return isChanged ? JSONValue(out + rest) : JSONValue?.none
  }

  private static func name(in text: String) -> String? {
    guard text.hasPrefix("{{"), text.hasSuffix("}}"), text.utf8.count > 4 else { return nil }
    return String(text.dropFirst(2).dropLast(2))
  }

  /// The part of a document where this template has `wanted`; nil where the document has another form.
  fileprivate func value(_ wanted: String, in document: JSONValue) -> JSONValue? {
    if let text { return Self.name(in: text) == wanted ? document : JSONValue?.none }
    for member in members ?? [] {
      let inner = document[member.name.text]
      if let found = inner.flatMap({ member.value.value(wanted, in: $0) }) { return found }
    }
    return nil
  }

  /// The names of all values to fill in.
  package var namesToFill: Set<String> {
    switch self {
    case .string(let string): Set(Self.name(in: string.text).map { [$0] } ?? [])
    case .array(let items): Set(items.flatMap(\.namesToFill))
    case .object(let members): Set(members.flatMap(\.value.namesToFill))
    default: []
    }
  }
}

/// A representation that wraps entities in an envelope: `{"data": […], "total": 12}`.
struct EnvelopeSerializer: ResourceSerializer {
  let inner: any ResourceSerializer
  /// The envelope of one entity, with `{{item}}`.
  let item: JSONValue?
  /// The envelope of a list, with `{{items}}` and maybe others of `listNames`.
  let list: JSONValue?

  /// The values that the envelope of a list may have.
  static let listNames: Set<String> = [
    "items", "total", "count", "page", "pages", "size", "offset", "next", "previous",
  ]

  var contentType: String { inner.contentType }

  func key(for property: String) -> String { inner.key(for: property) }

  func document(of resource: ResourceView) -> JSONValue {
    let document = inner.document(of: resource)
    return item?.filled(["item": document]) ?? document
  }

  func document(of list: ResourceListView) -> JSONValue {
    guard let template = self.list else { return inner.document(of: list) }
    let (offset, isBeyond) = (list.page - 1).multipliedReportingOverflow(by: list.size)
    return template.filled([
      "items": .array(list.resources.map { inner.document(of: $0) }), "total": JSONValue(list.total),
      "count": JSONValue(list.resources.count), "page": JSONValue(list.page), "pages": JSONValue(list.pages),
      "size": JSONValue(list.size), "offset": JSONValue(isBeyond ? list.total : offset),
      "next": list.next.map { JSONValue($0) } ?? .null,
      "previous": list.previous.map { JSONValue($0) } ?? .null,
    ])
  }

  /// A body may stand in the envelope or without it.
  func entity(in body: JSONValue, of type: String) -> JSONValue? {
    inner.entity(in: item?.value("item", in: body) ?? body, of: type)
  }
}
