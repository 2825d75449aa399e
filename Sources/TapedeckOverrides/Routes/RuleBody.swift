internal import TapedeckHTTP
internal import TapedeckMocking

/// The body of a declared answer: `json`, `text` or `file`.
enum RuleBody: Sendable {
  case bytes([UInt8])
  case json(JSONTemplate)
  case text(Template)

  /// - Returns: the body and the type it has; nil where none is declared.
  static func read(
    _ reader: inout RuleReader, _ templates: RuleTemplates, files: RuleFiles?
  ) throws(OverrideProblem) -> (body: RuleBody, contentType: String)? {
    let given = ["json", "text", "file"].filter { reader.has($0) }
    if given.count > 1 {
      throw reader.problem(given[1], "must stand without \(given[0]): a body is one of them")
    }
    if let json = reader.value("json") {
      return (Self(try JSONTemplate(json, templates, at: reader.place(of: "json"))), "application/json")
    }
    if let text = try reader.text("text") {
      let template = try templates.template(text, at: reader.place(of: "text"))
      return (template.map { .text($0) } ?? .bytes(Array(text.utf8)), "text/plain; charset=utf-8")
    }
    guard let name = try reader.text("file") else { return nil }
    return try (
      Self.file(name, templates, files, at: reader.place(of: "file")), LocalFile.mediaType(of: name)
    )
  }

  private init(_ template: JSONTemplate) {
    if case .constant(let json) = template {
      self = .bytes(json.bytes(.compact))
    } else {
      self = .json(template)
    }
  }

  /// A file is a template where its name ends in `.mustache`: `{{` stands in many a page that is none.
  private static func file(
    _ name: String, _ templates: RuleTemplates, _ files: RuleFiles?, at place: String
  ) throws(OverrideProblem) -> RuleBody {
    guard let files else { throw RuleFiles.absent(place) }
    let bytes = try files.read(name, at: place)
    guard name.hasSuffix(".mustache"),
      let template = try templates.template(
        String(decoding: bytes, as: UTF8.self), at: place, escaping: Template.escaping(of: name))
    else { return .bytes(bytes) }
    return .text(template)
  }

  /// The same for every request.
  var constant: [UInt8]? {
    if case .bytes(let bytes) = self { bytes } else { nil }
  }

  func rendered(_ values: RequestValues) -> [UInt8] {
    switch self {
    case .bytes(let bytes): bytes
    case .json(let template): template.rendered(values).bytes(.compact)
    case .text(let template): Array(template.rendered(values.value).utf8)
    }
  }
}
