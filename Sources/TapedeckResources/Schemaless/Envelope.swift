package import TapedeckHTTP
internal import TapedeckMocking

/// JSON with values to fill in: a text like `"{{items}}"` becomes the value, and `"no {{id}}"` contains its text.
package enum Envelope {
  static let listNames: Set<String> = [
    "items", "total", "count", "page", "pages", "size", "offset", "next", "previous",
  ]

  static func filled(_ template: JSONValue, _ value: (String) -> JSONValue?) -> JSONValue {
    switch template {
    case .string(let string): filled(string.text, value) ?? template
    case .array(let items): .array(items.map { filled($0, value) })
    case .object(let members):
      .object(members.map { JSONMember($0.name, filled($0.value, value)) })
    default: template
    }
  }

  /// Nil for a text without a known name.
  private static func filled(_ text: String, _ value: (String) -> JSONValue?) -> JSONValue? {
    if let name = name(in: text), let whole = value(name) { return whole }
    var (out, rest, isChanged) = ("", text[...], false)
    while let open = rest.firstRange(of: "{{"), let close = rest[open.upperBound...].firstRange(of: "}}") {
      let found = value(String(rest[open.upperBound..<close.lowerBound]))?.idText
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

  /// The part of a document at the place that a template has for a name; nil where the document has another form.
  static func value(_ wanted: String, of template: JSONValue, in document: JSONValue) -> JSONValue? {
    switch template {
    case .string(let string): return name(in: string.text) == wanted ? document : JSONValue?.none
    case .object(let members):
      for member in members {
        guard let inner = document[member.name.text] else { continue }
        if let found = value(wanted, of: member.value, in: inner) { return found }
      }
      return nil
    default: return nil
    }
  }

  /// The names of all values to fill in.
  package static func names(in template: JSONValue) -> Set<String> {
    switch template {
    case .string(let string): Set(name(in: string.text).map { [$0] } ?? [])
    case .array(let items): items.reduce(into: []) { $0.formUnion(names(in: $1)) }
    case .object(let members): members.reduce(into: []) { $0.formUnion(names(in: $1.value)) }
    default: []
    }
  }
}

/// A representation that wraps entities in an envelope: `{"data": […], "total": 12}`.
struct EnvelopeSerializer: ResourceSerializer {
  let inner: any ResourceSerializer
  /// With `{{item}}`; nil for none.
  let item: JSONValue?
  /// With `{{items}}`, and maybe other `listNames`; nil for none.
  let list: JSONValue?

  var contentType: String { inner.contentType }

  func key(for property: String) -> String { inner.key(for: property) }

  func document(of resource: ResourceView) -> JSONValue {
    let document = inner.document(of: resource)
    guard let item else { return document }
    return Envelope.filled(item) { $0 == "item" ? document : JSONValue?.none }
  }

  func document(of list: ResourceListView) -> JSONValue {
    guard let template = self.list else { return inner.document(of: list) }
    return Envelope.filled(template) { name in
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
    let body = item.flatMap { Envelope.value("item", of: $0, in: body) } ?? body
    return inner.entity(in: body, of: type)
  }
}
