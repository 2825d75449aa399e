public import TapedeckHTTP

/// A Mustache template (mustache(5)): `{{name}}`, `{{user.name}}`, `{{.}}`, `{{{unescaped}}}`, sections
/// `{{#items}}…{{/items}}`, inverted ones `{{^items}}…{{/items}}`, and `{{! comments }}`.
///
/// A name without a value renders as nothing. Partials, lambdas and other delimiters are errors.
public struct Template: Sendable {
  /// The escaping of a value, unless the template requests it unescaped.
  public enum Escaping: Sendable {
    /// HTML entities.
    case html
    /// For use inside the quotes of a JSON string.
    case json
    /// No escaping.
    case none
  }

  private let nodes: [TemplateNode]
  /// How values are escaped.
  public let escaping: Escaping

  /// Parses a template.
  public init(_ text: String, escaping: Escaping = .none) throws(TemplateError) {
    var reader = TemplateReader(rest: text[...])
    nodes = try reader.read()
    self.escaping = escaping
  }

  /// - Parameter escaping: by default the one that the file's name implies.
  package init(_ bytes: [UInt8], from file: String, escaping: Escaping? = nil) throws(TemplateError) {
    var reader = TemplateReader(name: file, rest: String(decoding: bytes, as: UTF8.self)[...])
    nodes = try reader.read()
    self.escaping = escaping ?? Self.escaping(of: file)
  }

  package static func escaping(of file: String) -> Escaping {
    switch FileName.lastExtension(of: file) {
    case "html", "htm", "xhtml", "xml", "svg": .html
    case "json": .json
    default: .none
    }
  }

  var contentType: String {
    switch escaping {
    case .html: "text/html; charset=utf-8"
    case .json: "application/json"
    case .none: "text/plain; charset=utf-8"
    }
  }

  /// The name of a template that consists of one value and nothing else.
  package var loneName: [String]? {
    guard nodes.count == 1, case .value(let path, _)? = nodes.first else { return nil }
    return path
  }

  /// The names outside of any section.
  package var outerNames: [[String]] {
    nodes.compactMap { node in
      switch node {
      case .text: nil
      case .value(let path, _), .section(let path, _, _): path
      }
    }
  }

  /// Renders the template with the members of an object.
  public func rendered(_ values: JSONValue) -> String {
    rendered { path in path.reduce(values) { value, name in value?[name] } }
  }

  /// - Parameter find: the value of a name that no section around it has.
  package func rendered(_ find: ([String]) -> JSONValue?) -> String {
    var out = ""
    render(nodes, inside: [], find, to: &out)
    return out
  }

  /// - Parameter stack: the values of the sections around the nodes, innermost last.
  private func render(
    _ nodes: [TemplateNode], inside stack: [JSONValue], _ find: ([String]) -> JSONValue?,
    to out: inout String
  ) {
    for node in nodes {
      switch node {
      case .text(let text): out += text
      case .value(let path, let isEscaped):
        let text = Self.value(path, inside: stack, find).map(Self.text) ?? ""
        out += isEscaped ? escaped(text) : text
      case .section(let path, let isInverted, let inner):
        let items = Self.items(Self.value(path, inside: stack, find))
        if !isInverted {
          for item in items { render(inner, inside: stack + [item], find, to: &out) }
        } else if items.isEmpty {
          render(inner, inside: stack, find, to: &out)
        }
      }
    }
  }

  /// The values that a section is rendered with: an array's items, or the value itself unless null or false.
  private static func items(_ value: JSONValue?) -> [JSONValue] {
    switch value {
    case nil, .null?, .bool(false)?: []
    case .array(let items)?: items
    case let value?: [value]
    }
  }

  /// The value of a path: its first name is looked up from the innermost section outwards.
  private static func value(
    _ path: [String], inside stack: [JSONValue], _ find: ([String]) -> JSONValue?
  ) -> JSONValue? {
    guard let first = path.first else { return stack.last ?? find([]) }
    guard let value = stack.reversed().lazy.compactMap({ $0[first] }).first else { return find(path) }
    return path.dropFirst().reduce(value) { value, name in value?[name] }
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

/// The reason why a template cannot be used, and the place.
public struct TemplateError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file, or `template`, and the line, counted from 1.
  public let place: String
  /// The problem at that place.
  public let problem: String

  package init(place: String, problem: String) {
    self.place = place
    self.problem = problem
  }

  public var description: String { "\(place): \(problem)" }
}
