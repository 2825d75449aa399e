internal import TapedeckHTTP

extension RouterSettings {
  func response(to value: (any Serializable)?) throws -> RouteResponse {
    guard let value else { return try empty() }
    let (content, role) = Self.content(of: value)
    guard let content else { return try empty() }
    if role.contains(.passthrough) { return .passthrough }
    if role.contains(.response), let response = content as? Response { return try write(response, as: value) }
    if role.contains(.fieldsProvider), let provider = content as? any ResponseFieldsProvider {
      let headers = HeaderFields(provider.headerFields ?? [:])
      return try write(value, provider.body, status: provider.statusCode, headers: headers)
    }
    return try write(value, content, role, status: 200, headers: [:])
  }

  /// The value inside optionals, policies and transformers, which determines status and header fields.
  private static func content(of value: any Serializable) -> (value: (any Serializable)?, role: ResponseRole)
  {
    var (content, role) = (value, ResponseRole(of: value))
    while true {
      let inner: (any Serializable)??
      if role.contains(.box), let box = content as? any SerializableBox {
        inner = box.content
      } else if role.contains(.transformer), let transformer = content as? any SerializationTransformer {
        inner = .some(transformer.wrapped)
      } else {
        inner = nil
      }
      guard let inner else { return (content, role) }
      guard let inner else { return (nil, []) }
      (content, role) = (inner, ResponseRole(of: inner))
    }
  }

  /// The response to `nil`. As in Kakapo, it has a content type although it is empty.
  private func empty() throws -> RouteResponse {
    .response(HTTPResponse(head: try self.head(nilStatusCode, ["Content-Type": "application/json"])))
  }

  private func write(_ response: Response, as whole: any Serializable) throws -> RouteResponse {
    let (status, headers, reason) = (response.statusCode, response.headers, response.reason)
    if let value = response.value { return try write(whole, value, status: status, headers: headers, reason) }
    let head = try self.head(status, headers, reason)
    return response.stream.map { .stream(head, $0) } ?? .response(HTTPResponse(head: head))
  }

  /// - Parameters:
  ///   - whole: the value to write: the body with the optionals, policies and transformers around it.
  ///   - body: determines the media type.
  private func write(
    _ whole: any Serializable, _ body: any Serializable, _ role: ResponseRole? = nil, status: Int,
    headers: HeaderFields, _ reason: [UInt8]? = nil
  ) throws -> RouteResponse {
    let role = role ?? ResponseRole(of: body)
    let raw = role.contains(.rawBody) ? (body as? RawBody)?.bytes : nil
    let content = try raw ?? json(whole)
    var headers = headers
    if headers["Content-Type"] == nil {
      let typed = role.contains(.mediaTyped) ? body as? any MediaTyped : nil
      if typed == nil, headers.isEmpty, status == 200, reason == nil {
        let head = HTTPResponseHead(status: 200, fields: Self.jsonFields)
        return .response(HTTPResponse(head: head, body: content))
      }
      headers.add("Content-Type", typed?.contentType ?? "application/json")
    }
    return .response(HTTPResponse(head: try self.head(status, headers, reason), body: content))
  }

  private static let jsonFields: HTTPFields = {
    var fields = HTTPFields()
    fields.append(literal: "Content-Type", "application/json")
    return fields
  }()

  private func json(_ value: any Serializable) throws -> [UInt8] {
    guard let bytes = try value.jsonBytes(format: format) else { return [] }
    if format.root == .containers, bytes.first != UInt8(ascii: "{"), bytes.first != UInt8(ascii: "[") {
      return []
    }
    return format.style == .compact ? bytes : try JSONValue(parsing: bytes).bytes(format.style)
  }

  private func head(
    _ status: Int, _ headers: HeaderFields, _ reason: [UInt8]? = nil
  ) throws -> HTTPResponseHead {
    guard (200...999).contains(status) || status == 101 && opensWebSocket else {
      throw RouterError.badStatus(status)
    }
    var fields = HTTPFields()
    for field in headers where !(field.value.isEmpty && field.name.isHeaderName("Content-Type")) {
      do { try fields.append(field.name, field.value) } catch { throw RouterError.badHeader("\(error)") }
    }
    return HTTPResponseHead(status: status, reason: reason, fields: fields)
  }
}

/// The meaning of a type's values for a response. Computed once per type, because a failed cast is slow.
struct ResponseRole: OptionSet, Sendable {
  let rawValue: UInt8

  static let box = ResponseRole(rawValue: 1)
  static let transformer = ResponseRole(rawValue: 2)
  static let passthrough = ResponseRole(rawValue: 4)
  static let response = ResponseRole(rawValue: 8)
  static let fieldsProvider = ResponseRole(rawValue: 16)
  static let rawBody = ResponseRole(rawValue: 32)
  static let mediaTyped = ResponseRole(rawValue: 64)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  init<T>(ofType type: T.Type) {
    self = []
    if type is any SerializableBox.Type { insert(.box) }
    if type is any SerializationTransformer.Type { insert(.transformer) }
    if type == Passthrough.self { insert(.passthrough) }
    if type == Response.self { insert(.response) }
    if type is any ResponseFieldsProvider.Type { insert(.fieldsProvider) }
    if type == RawBody.self { insert(.rawBody) }
    if type is any MediaTyped.Type { insert(.mediaTyped) }
  }

  init(of value: any Serializable) { self = TypePlan.of(type(of: value)).responseRole }
}

protocol SerializableBox {
  /// The value inside, or `.some(nil)` for none; `nil` when the content cannot be serialized by itself.
  var content: (any Serializable)?? { get }
}

extension Optional: SerializableBox {
  var content: (any Serializable)?? {
    guard case .some(let value) = self else { return .some(nil) }
    return (value as? any Serializable).map { .some($0) }
  }
}

extension PropertyPolicy: SerializableBox {
  var content: (any Serializable)?? {
    value.flatMap { $0 as? any Serializable }.map { .some($0) }
  }
}
