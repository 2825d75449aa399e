internal import TapedeckHTTP

/// Makes answers of what handlers return.
enum AnswerWriter {
  static func answer(_ value: (any Serializable)?, _ settings: RouterSettings) throws -> RouteAnswer {
    guard let value else { return try empty(settings) }
    let root = AnswerRoot(value)
    switch root.value {
    case nil: return try empty(settings)
    case is Passthrough: return .passthrough
    case let response as Response: return try answer(response, root, settings)
    case let provider as any ResponseFieldsProvider:
      let headers = HeaderFields(provider.headerFields ?? [:])
      return try response(
        root.serializable, provider.body, status: provider.statusCode, headers: headers, settings)
    case .some(let plain):
      return try response(root.serializable, plain, status: 200, headers: [:], settings)
    }
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
    _ whole: any Serializable, _ body: any Serializable, status: Int, headers: HeaderFields,
    _ settings: RouterSettings, reason: [UInt8]? = nil
  ) throws -> RouteAnswer {
    let content = try (body as? RawBody)?.bytes ?? json(whole, settings.format)
    var headers = headers
    if headers["Content-Type"] == nil {
      headers.add("Content-Type", (body as? any MediaTyped)?.contentType ?? "application/json")
    }
    return .response(HTTPResponse(head: try head(status, headers, reason: reason), body: content))
  }

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
  let value: (any Serializable)?

  init(_ serializable: any Serializable) {
    self.serializable = serializable
    value = Self.inside(serializable)
  }

  private static func inside(_ value: any Serializable) -> (any Serializable)? {
    if let box = value as? any SerializableBox {
      if box.isNil { return nil }
      guard let content = box.content else { return value }
      return inside(content)
    }
    if let transformer = value as? any SerializationTransformer { return inside(transformer.wrapped) }
    return value
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
