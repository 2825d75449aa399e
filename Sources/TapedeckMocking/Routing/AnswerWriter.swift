internal import TapedeckHTTP

/// Makes answers of what handlers return.
enum AnswerWriter {
  static func answer(_ value: (any Serializable)?, _ settings: RouterSettings) throws -> RouteAnswer {
    guard let value else { return try empty(settings) }
    let root = AnswerRoot(value)
    guard let inside = root.value else { return try empty(settings) }
    if root.role.contains(.passthrough) { return .passthrough }
    if root.role.contains(.response), let response = inside as? Response {
      return try answer(response, root, settings)
    }
    if root.role.contains(.fieldsProvider), let provider = inside as? any ResponseFieldsProvider {
      let headers = HeaderFields(provider.headerFields ?? [:])
      return try response(
        root.serializable, provider.body, status: provider.statusCode, headers: headers, settings)
    }
    return try response(root.serializable, inside, root.role, status: 200, headers: [:], settings)
  }

  /// Nothing to say, in Kakapo's way: the type of what is missing is said all the same.
  private static func empty(_ settings: RouterSettings) throws -> RouteAnswer {
    let head = try head(settings.nilStatusCode, ["Content-Type": "application/json"], reason: nil)
    return .response(HTTPResponse(head: head))
  }

  private static func answer(
    _ response: Response, _ root: AnswerRoot, _ settings: RouterSettings
  ) throws -> RouteAnswer {
    switch response.content {
    case .none:
      let head = try head(response.statusCode, response.headers, reason: response.reason)
      return .response(HTTPResponse(head: head))
    case .stream(let stream):
      return .stream(try head(response.statusCode, response.headers, reason: response.reason), stream)
    case .value(let value):
      return try Self.response(
        root.serializable, value, status: response.statusCode, headers: response.headers, settings,
        reason: response.reason)
    }
  }

  /// - Parameters:
  ///   - whole: what is written: the body with what is around it.
  ///   - body: what tells the media type.
  private static func response(
    _ whole: any Serializable, _ body: any Serializable, _ role: AnswerRole? = nil, status: Int,
    headers: HeaderFields, _ settings: RouterSettings, reason: [UInt8]? = nil
  ) throws -> RouteAnswer {
    let role = role ?? AnswerRole(of: body)
    let raw = role.contains(.rawBody) ? (body as? RawBody)?.bytes : nil
    let content = try raw ?? json(whole, settings.format)
    var headers = headers
    if headers["Content-Type"] == nil {
      let typed = role.contains(.mediaTyped) ? body as? any MediaTyped : nil
      if typed == nil, headers.isEmpty, status == 200, reason == nil {
        return .response(HTTPResponse(head: HTTPResponseHead(status: 200, fields: jsonFields), body: content))
      }
      headers.add("Content-Type", typed?.contentType ?? "application/json")
    }
    return .response(HTTPResponse(head: try head(status, headers, reason: reason), body: content))
  }

  /// What most answers have, made once.
  private static let jsonFields: HTTPFields = {
    var fields = HTTPFields()
    fields.append(literal: "Content-Type", "application/json")
    return fields
  }()

  private static func json(_ value: any Serializable, _ format: SerializationFormat) throws -> [UInt8] {
    guard let bytes = try value.jsonBytes(format: format) else { return [] }
    if format.root == .containers, bytes.first != UInt8(ascii: "{"), bytes.first != UInt8(ascii: "[") {
      return []
    }
    return format.style == .compact ? bytes : try JSONValue(parsing: bytes).bytes(format.style)
  }

  private static func head(_ status: Int, _ headers: HeaderFields, reason: [UInt8]?) throws
    -> HTTPResponseHead
  {
    guard (200...999).contains(status) else { throw RouterError.badStatus(status) }
    var fields = HTTPFields()
    for field in headers where !(field.value.isEmpty && field.name.isHeaderName("Content-Type")) {
      do { try fields.append(field.name, field.value) } catch { throw RouterError.badHeader("\(error)") }
    }
    return HTTPResponseHead(status: status, reason: reason, fields: fields)
  }
}

/// The value inside optionals, policies and transformers that says status and header fields.
struct AnswerRoot {
  /// The whole, as it is written.
  let serializable: any Serializable
  /// What is inside; nil when that is nothing.
  private(set) var value: (any Serializable)?
  /// Of what is inside.
  private(set) var role: AnswerRole

  init(_ serializable: any Serializable) {
    self.serializable = serializable
    value = serializable
    role = AnswerRole(of: serializable)
    while let outer = value, let inner = Self.inside(outer, role) {
      value = inner
      role = inner.map { AnswerRole(of: $0) } ?? []
    }
  }

  /// What a box or a transformer holds, which may be nothing; nil where the value is what it is about.
  private static func inside(_ value: any Serializable, _ role: AnswerRole) -> (any Serializable)?? {
    if role.contains(.box), let box = value as? any SerializableBox {
      return box.isNil ? .some(nil) : box.content.map { .some($0) }
    }
    if role.contains(.transformer), let transformer = value as? any SerializationTransformer {
      return .some(transformer.wrapped)
    }
    return nil
  }
}

/// Something that holds one value or none.
protocol SerializableBox {
  var isNil: Bool { get }
  var content: (any Serializable)? { get }
}

extension Optional: SerializableBox {
  var isNil: Bool {
    if case .none = self { true } else { false }
  }
  var content: (any Serializable)? {
    guard case .some(let value) = self else { return nil }
    return value as? any Serializable
  }
}

extension PropertyPolicy: SerializableBox {
  var isNil: Bool { false }
  var content: (any Serializable)? { value.content }
}
