package import TapedeckHTTP

/// JSON with places for values: a text like `"{{items}}"` is one value and nothing else, and `"no {{id}}"` has the text
/// of one in it.
package enum DocumentTemplate {
  static func filled(_ template: JSONValue, _ value: (String) -> JSONValue?) -> JSONValue {
    switch template {
    case .string(let string): filled(string.text, value) ?? template
    case .array(let items): .array(items.map { filled($0, value) })
    case .object(let members):
      .object(members.map { JSONMember($0.name, filled($0.value, value)) })
    default: template
    }
  }

  /// Nil where the text has no place that is known.
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

  /// What stands in a document where a template has the place of that name; nil where the document is another.
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

  /// The names of all places.
  package static func names(in template: JSONValue) -> Set<String> {
    switch template {
    case .string(let string): Set(name(in: string.text).map { [$0] } ?? [])
    case .array(let items): items.reduce(into: []) { $0.formUnion(names(in: $1)) }
    case .object(let members): members.reduce(into: []) { $0.formUnion(names(in: $1.value)) }
    default: []
    }
  }
}
