internal import TapedeckHTTP
internal import TapedeckMocking

/// An answer declared in JSON: `status`, `headers`, a body, `delay`, `fault`.
struct RuleAnswer: Sendable {
  static let members = ["status", "headers", "json", "text", "file", "template", "delay", "fault"]

  private let status: Int
  private let fields: RuleFields
  private let body: RuleBody?
  private let contentType: String?
  let delay: RuleDelay?
  /// What goes wrong on its way.
  let fault: Fault?
  /// Where it is the same for every request.
  private let prepared: (whole: PreparedResponse, head: PreparedResponse)?

  init(_ reader: inout RuleReader, path: PathPattern, files: RuleFiles?) throws(OverrideProblem) {
    status = try reader.int("status", in: 200...999) ?? 200
    let templates = RuleTemplates(areOn: try reader.bool("template") ?? true, path: path)
    fields = try RuleFields(&reader, templates)
    let declared = try RuleBody.read(&reader, templates, files: files)
    (body, contentType) = (declared?.body, declared?.contentType)
    delay = try RuleDelay.read(&reader, "delay")
    let place = reader.place(of: "fault")
    fault = try reader.value("fault").map { value throws(OverrideProblem) in try Fault(value, at: place) }
    prepared = nil
  }

  private init(_ answer: RuleAnswer, prepared: (PreparedResponse, PreparedResponse)) {
    (status, fields, body, contentType) = (answer.status, answer.fields, answer.body, answer.contentType)
    (delay, fault) = (answer.delay, answer.fault)
    self.prepared = prepared
  }

  /// The same, made ready for the wire where no request changes it.
  var madeReady: RuleAnswer {
    guard fields.areConstant, body == nil || body?.constant != nil else { return self }
    let nobody = RequestValues(request: OverrideRequest(HTTPRequest(.get, "/")), components: [:])
    let response = response(to: nobody)
    return RuleAnswer(
      self, prepared: (PreparedResponse(response, to: .get), PreparedResponse(response, to: .head)))
  }

  func content(_ values: () -> RequestValues, to method: HTTPMethod) -> ServedResponse.Content {
    guard let prepared else { return .response(response(to: values())) }
    return .prepared(method == .head ? prepared.head : prepared.whole)
  }

  private func response(to values: RequestValues) -> HTTPResponse {
    var head = HTTPResponseHead(status: status)
    if let contentType { head.fields.append(literal: "Content-Type", contentType) }
    fields.apply(to: &head, values)
    return HTTPResponse(head: head, body: body?.rendered(values) ?? [])
  }
}
