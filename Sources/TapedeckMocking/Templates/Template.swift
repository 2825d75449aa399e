public import TapedeckHTTP

/// A text with places for values, in Mustache's language (mustache(5)): `{{name}}`, `{{user.name}}`, `{{.}}`,
/// `{{{unescaped}}}`, sections `{{#items}}…{{/items}}`, inverted ones `{{^items}}…{{/items}}`, and `{{! comments }}`.
///
/// It is read once and rendered often. A name without a value renders as nothing. Partials, lambdas and other delimiters
/// are refused when it is read.
public struct Template: Sendable {
  /// How a value is written where the template does not ask for it as it is.
  public enum Escaping: Sendable {
    case html
    /// For a place within the quotes of a JSON string.
    case json
    case none
  }

  private let nodes: [TemplateNode]
  public let escaping: Escaping

  public init(_ text: String, escaping: Escaping = .none) throws(TemplateError) {
    try self.init(text, name: nil, escaping: escaping)
  }

  /// Reads a file. Without `escaping`, `page.html.mustache` is HTML, as are `.xml` and `.svg`; `user.json` is JSON; all
  /// else is plain.
  public init(file: String, escaping: Escaping? = nil) throws(TemplateError) {
    let bytes: [UInt8]
    do throws(FileError) { bytes = try WholeFile.bytes(file) } catch { throw TemplateError(error) }
    try self.init(
      String(decoding: bytes, as: UTF8.self), name: file, escaping: escaping ?? Self.escaping(of: file))
  }

  private init(_ text: String, name: String?, escaping: Escaping) throws(TemplateError) {
    var reader = TemplateReader(text, name: name)
    nodes = try reader.read()
    self.escaping = escaping
  }

  /// As the name of a file suggests.
  package static func escaping(of file: String) -> Escaping {
    switch MediaTypeOfFile.extensions(of: file).first(where: { $0 != "mustache" }) {
    case "html", "htm", "xhtml", "xml", "svg": .html
    case "json": .json
    default: .none
    }
  }

  /// The text with the values in their places.
  public func rendered(_ values: JSONValue) -> String { rendered { Self.value($0, in: values) } }

  /// The text with what `look` finds under the names that no section around them knows.
  package func rendered(_ look: @escaping ([String]) -> JSONValue?) -> String {
    var renderer = TemplateRenderer(escaping: escaping, look: look)
    renderer.render(nodes)
    return renderer.out
  }

  private static func value(_ path: [String], in values: JSONValue) -> JSONValue? {
    path.reduce(values) { value, name in value?[name] }
  }

  /// The name, where there is nothing beside it.
  package var loneName: [String]? {
    guard nodes.count == 1, case .value(let path, _)? = nodes.first else { return nil }
    return path
  }

  /// The names that are looked up outside of any section.
  package var outerNames: [[String]] {
    nodes.compactMap { node in
      switch node {
      case .text: nil
      case .value(let path, _), .section(let path, _, _): path
      }
    }
  }
}

/// A template on its way to text, with the values that surround the place it is at.
private struct TemplateRenderer {
  let escaping: Template.Escaping
  let look: ([String]) -> JSONValue?
  var stack: [JSONValue] = []
  var out = ""

  mutating func render(_ nodes: [TemplateNode]) {
    for node in nodes {
      switch node {
      case .text(let text): out += text
      case .value(let path, let isEscaped):
        let text = value(path).map(Self.text) ?? ""
        out += isEscaped ? escaped(text) : text
      case .section(let path, let isInverted, let inner):
        section(value(path), isInverted: isInverted, inner)
      }
    }
  }

  private mutating func section(_ value: JSONValue?, isInverted: Bool, _ inner: [TemplateNode]) {
    let items = Self.items(value)
    if isInverted {
      if items.isEmpty { render(inner) }
      return
    }
    for item in items {
      stack.append(item)
      render(inner)
      stack.removeLast()
    }
  }

  /// What a section is rendered for: each item of a list, once for anything else that is there and not false.
  private static func items(_ value: JSONValue?) -> [JSONValue] {
    switch value {
    case nil, .null?, .bool(false)?: []
    case .array(let items)?: items
    case let value?: [value]
    }
  }

  /// The innermost value that has the first name; the other names are looked for in it.
  private func value(_ path: [String]) -> JSONValue? {
    guard let first = path.first else { return stack.last ?? look([]) }
    guard var value = stack.reversed().lazy.compactMap({ $0[first] }).first else { return look(path) }
    for name in path.dropFirst() {
      guard let inner = value[name] else { return nil }
      value = inner
    }
    return value
  }

  private static func text(_ value: JSONValue) -> String {
    switch value {
    case .null: ""
    case .string(let string): string.text
    case .bool, .number, .array, .object: String(decoding: value.bytes(.compact), as: UTF8.self)
    }
  }

  private func escaped(_ text: String) -> String {
    switch escaping {
    case .none: return text
    case .json:
      return String(String(decoding: JSONValue(text).bytes(.compact), as: UTF8.self).dropFirst().dropLast())
    case .html:
      let entities: [Character: String] = [
        "&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;",
      ]
      return text.map { entities[$0] ?? String($0) }.joined()
    }
  }
}
