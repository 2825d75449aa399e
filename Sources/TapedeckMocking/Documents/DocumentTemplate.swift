internal import TapedeckHTTP

/// JSON with places for values: texts like `"{{items}}"` that are one value and nothing else.
enum DocumentTemplate {
  /// What may stand in a place, by its name.
  typealias Values = [String: JSONValue]

  static func place(_ name: String) -> String { "{{\(name)}}" }

  static func filled(_ template: JSONValue, _ value: (String) -> JSONValue?) -> JSONValue {
    switch template {
    case .string(let string):
      guard let name = name(in: string.text) else { return template }
      return value(name) ?? template
    case .array(let items): return .array(items.map { filled($0, value) })
    case .object(let members):
      return .object(members.map { JSONMember($0.name, filled($0.value, value)) })
    default: return template
    }
  }

  private static func name(in text: String) -> String? {
    guard text.hasPrefix("{{"), text.hasSuffix("}}"), text.utf8.count > 4 else { return nil }
    return String(text.dropFirst(2).dropLast(2))
  }

  /// What stands in a document where a template has the place of that name; nil where the document is another.
  static func value(_ wanted: String, of template: JSONValue, in document: JSONValue) -> JSONValue? {
    switch template {
    case .string(let string): return name(in: string.text) == wanted ? document : nil
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
  static func names(in template: JSONValue) -> Set<String> {
    switch template {
    case .string(let string): Set(name(in: string.text).map { [$0] } ?? [])
    case .array(let items): items.reduce(into: []) { $0.formUnion(names(in: $1)) }
    case .object(let members): members.reduce(into: []) { $0.formUnion(names(in: $1.value)) }
    default: []
    }
  }
}
