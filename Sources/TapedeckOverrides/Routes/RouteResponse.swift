internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckSockets

/// A response declared in JSON: `status`, `headers`, a body or events, `delay`, `fault`.
struct RouteResponse: Sendable {
  static let members = bodyMembers + ["delay", "fault"]
  static let bodyMembers =
    ["status", "headers", "json", "text", "file", "template"] + DeclaredStream.members

  private let status: Int
  /// Like `{"Retry-After": "1", "Set-Cookie": ["a=1", "b=2"]}`, in order.
  private let fields: [(name: String, text: String, template: Template?)]
  private let body: RuleBody?
  private let stream: DeclaredStream?
  private let contentType: String?
  let delay: RuleDelay?
  let fault: Fault?
  /// The whole response and the one to HEAD, if they are the same for every request.
  private var prepared: (whole: PreparedResponse, head: PreparedResponse)?

  init(_ reader: inout RuleReader, _ path: PathPattern, _ file: OverridesFile?) throws(OverrideProblem) {
    status = try reader.int("status", in: 200...999) ?? 200
    let templates = RuleTemplates(areOn: try reader.bool("template") ?? true, path: path)
    fields = try Self.fields(&reader, templates)
    let declared = try RuleBody.read(&reader, templates, file)
    stream = try DeclaredStream.read(&reader, templates)
    if stream != nil, let other = ["json", "text", "file"].first(where: reader.has) {
      throw reader.problem("events", "excludes \(other): a body is one of them")
    }
    (body, contentType) = (declared?.body, declared?.contentType ?? stream.map { _ in "text/event-stream" })
    delay = try reader.read("delay", RuleDelay.init)
    fault = try reader.read("fault", Fault.init)
    if stream == nil, case .bytes = body ?? .bytes([]), fields.allSatisfy({ $0.template == nil }) {
      prepare()
    }
  }

  private mutating func prepare() {
    let nobody = RequestValues(request: OverrideRequest(HTTPRequest(.get, "/")), components: [:])
    let response = response(nobody)
    prepared = (PreparedResponse(response, to: .get), PreparedResponse(response, to: .head))
  }

  private static func fields(
    _ reader: inout RuleReader, _ templates: RuleTemplates
  ) throws(OverrideProblem) -> [(name: String, text: String, template: Template?)] {
    guard var headers = try reader.object("headers") else { return [] }
    var fields: [(name: String, text: String, template: Template?)] = []
    for (name, texts) in try headers.readAll(Self.texts) {
      for text in texts {
        fields.append((name, text, try templates.template(text, at: headers.place(of: name))))
        var probe = HTTPFields()
        try headers.checked(name) { try probe.append(name, text) }
      }
    }
    return fields
  }

  private static func texts(_ value: JSONValue, at place: String) throws(OverrideProblem) -> [String] {
    let items = value.array ?? [value]
    let texts = items.compactMap(\.text)
    guard texts.count == items.count else {
      throw OverrideProblem(place, "must be a text, or a list of texts")
    }
    return texts
  }

  /// - Parameter loop: paces a stream; without it, all of the stream comes at once.
  func content(
    for request: OverrideRequest, _ path: PathPattern, _ generator: SplitMix64, loop: EventLoop?
  ) -> ServedResponse.Content {
    if let prepared { return .prepared(request.http.method == .head ? prepared.head : prepared.whole) }
    let values = RequestValues(request: request, components: path.values(in: request.path))
    let response = response(values)
    return stream?.content(response.head, values, generator, loop: loop) ?? .response(response)
  }

  private func response(_ values: RequestValues) -> HTTPResponse {
    var head = HTTPResponseHead(status: status)
    if let contentType, !fields.contains(where: { $0.name.lowercased() == "content-type" }) {
      head.fields.append(literal: "Content-Type", contentType)
    }
    for (name, text, template) in fields {
      // A value from a client may contain a line break, which is refused here.
      let value = template?.rendered(values.value) ?? text
      try? head.fields.append(
        name: Array(name.utf8), value: value.utf8.map { ASCII.isFieldValue($0) ? $0 : 0x20 })
    }
    return HTTPResponse(head: head, body: body?.rendered(values) ?? [])
  }
}

/// The body of a declared response: `json`, `text` or `file`.
private enum RuleBody: Sendable {
  case bytes([UInt8])
  case json(JSONTemplate)
  case text(Template)

  /// - Returns: the body and its type; `nil` if none is declared.
  static func read(
    _ reader: inout RuleReader, _ templates: RuleTemplates, _ file: OverridesFile?
  ) throws(OverrideProblem) -> (body: RuleBody, contentType: String)? {
    let given = ["json", "text", "file"].filter { reader.has($0) }
    if given.count > 1 {
      throw reader.problem(given[1], "excludes \(given[0]): a body is one of them")
    }
    if let json = try reader.read("json", templates.json) {
      guard case .constant(let value) = json else { return (.json(json), "application/json") }
      return (.bytes(value.bytes(.compact)), "application/json")
    }
    if let text = try reader.text("text") {
      let template = try templates.template(text, at: reader.place(of: "text"))
      return (template.map { .text($0) } ?? .bytes(Array(text.utf8)), "text/plain; charset=utf-8")
    }
    guard let name = try reader.text("file") else { return nil }
    let place = reader.place(of: "file")
    guard let file else { throw OverridesFile.absent(place) }
    let bytes = try file.read(name, at: place)
    // Only if its name ends in `.mustache`: many pages contain `{{` and are not templates.
    let template =
      name.hasSuffix(".mustache")
      ? try templates.template(
        String(decoding: bytes, as: UTF8.self), at: place, escaping: Template.escaping(of: name)) : nil
    return (template.map { .text($0) } ?? .bytes(bytes), FileName.mediaType(of: name))
  }

  func rendered(_ values: RequestValues) -> [UInt8] {
    switch self {
    case .bytes(let bytes): bytes
    case .json(let template): template.rendered(values).bytes(.compact)
    case .text(let template): Array(template.rendered(values.value).utf8)
    }
  }
}
