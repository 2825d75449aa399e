public import TapedeckHTTP

/// A Mustache template (mustache(5)): `{{name}}`, `{{user.name}}`, `{{.}}`, `{{{unescaped}}}`, sections
/// `{{#items}}…{{/items}}`, inverted ones `{{^items}}…{{/items}}`, and `{{! comments }}`.
///
/// It is parsed once and rendered often. A name without a value renders as nothing. Partials, lambdas and other
/// delimiters are errors.
public struct Template: Sendable {
  /// How a value is written, unless the template asks for it unescaped.
  public enum Escaping: Sendable {
    /// With HTML entities.
    case html
    /// For a place within the quotes of a JSON string.
    case json
    /// As it is.
    case none
  }

  private let nodes: [TemplateNode]
  /// How values are escaped.
  public let escaping: Escaping

  /// Parses a template.
  public init(_ text: String, escaping: Escaping = .none) throws(TemplateError) {
    try self.init(text, name: nil, escaping: escaping)
  }

  /// Reads a file.
  /// - Parameter escaping: by default HTML for `page.html.mustache`, `.xml` and `.svg`, JSON for `user.json`, else none.
  public init(file: String, escaping: Escaping? = nil) throws(TemplateError) {
    let bytes: [UInt8]
    do throws(FileError) { bytes = try LocalFile.read(file) } catch { throw TemplateError(error) }
    try self.init(
      String(decoding: bytes, as: UTF8.self), name: file, escaping: escaping ?? Self.escaping(of: file))
  }

  private init(_ text: String, name: String?, escaping: Escaping) throws(TemplateError) {
    var reader = TemplateReader(text, name: name)
    nodes = try reader.read()
    self.escaping = escaping
  }

  /// The escaping that a file's name suggests.
  package static func escaping(of file: String) -> Escaping {
    switch LocalFile.extensions(of: file).first(where: { $0 != "mustache" }) {
    case "html", "htm", "xhtml", "xml", "svg": .html
    case "json": .json
    default: .none
    }
  }

  /// The template with `values`, an object, filled in.
  public func rendered(_ values: JSONValue) -> String { rendered { Self.value($0, in: values) } }

  /// The template filled in; `look` finds the names that no section around them has.
  package func rendered(_ look: @escaping ([String]) -> JSONValue?) -> String {
    var renderer = TemplateRenderer(escaping: escaping, look: look)
    renderer.render(nodes)
    return renderer.out
  }

  private static func value(_ path: [String], in values: JSONValue) -> JSONValue? {
    path.reduce(values) { value, name in value?[name] }
  }

  /// The media type of what is rendered.
  var contentType: String {
    switch escaping {
    case .html: "text/html; charset=utf-8"
    case .json: "application/json"
    case .none: "text/plain; charset=utf-8"
    }
  }

  /// The name of a template that is one value and nothing else.
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
}

/// A rendering under way, with the values of the sections around the current place.
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

  /// The values a section is rendered with: the items of an array, or the value itself unless it is null or false.
  private static func items(_ value: JSONValue?) -> [JSONValue] {
    switch value {
    case nil, .null?, .bool(false)?: []
    case .array(let items)?: items
    case let value?: [value]
    }
  }

  /// The value of a path: its first name is looked up from the innermost section outwards, the others in what it finds.
  private func value(_ path: [String]) -> JSONValue? {
    guard let first = path.first else { return stack.last ?? look([]) }
    guard let value = stack.reversed().lazy.compactMap({ $0[first] }).first else { return look(path) }
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

/// Why a template cannot be used, and where.
public struct TemplateError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file, or `template`, and the line, counted from 1.
  public let place: String
  /// What is wrong there.
  public let problem: String

  init(place: String, problem: String) {
    self.place = place
    self.problem = problem
  }

  init(_ error: FileError) { self.init(place: error.path, problem: error.problem) }

  /// Place and problem.
  public var description: String { "\(place): \(problem)" }
}
