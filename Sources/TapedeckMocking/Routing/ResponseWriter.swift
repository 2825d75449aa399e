internal import TapedeckHTTP

/// Turns what handlers return into responses.
enum ResponseWriter {
  static func response(to value: (any Serializable)?, _ settings: RouterSettings) throws -> RouteResponse {
    guard let value else { return try empty(settings) }
    let (content, role) = content(of: value)
    guard let content else { return try empty(settings) }
    if role.contains(.passthrough) { return .passthrough }
    if role.contains(.response), let response = content as? Response {
      return try write(response, as: value, settings)
    }
    if role.contains(.fieldsProvider), let provider = content as? any ResponseFieldsProvider {
      let headers = HeaderFields(provider.headerFields ?? [:])
      return try write(value, provider.body, status: provider.statusCode, headers: headers, settings)
    }
    return try write(value, content, role, status: 200, headers: [:], settings)
  }

  /// The value inside optionals, policies and transformers, which decides status and header fields; `nil` when there is
  /// none.
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

  /// The response to `nil`. As in Kakapo, it has a content type all the same.
  private static func empty(_ settings: RouterSettings) throws -> RouteResponse {
    let head = try head(settings.nilStatusCode, ["Content-Type": "application/json"], reason: nil)
    return .response(HTTPResponse(head: head))
  }

  private static func write(
    _ response: Response, as whole: any Serializable, _ settings: RouterSettings
  ) throws -> RouteResponse {
    switch response.content {
    case .none:
      let head = try head(response.statusCode, response.headers, reason: response.reason)
      return .response(HTTPResponse(head: head))
    case .stream(let stream):
      return .stream(try head(response.statusCode, response.headers, reason: response.reason), stream)
    case .value(let value):
      return try write(
        whole, value, status: response.statusCode, headers: response.headers, settings,
        reason: response.reason)
    }
  }

  /// - Parameters:
  ///   - whole: what is written: the body with the optionals, policies and transformers around it.
  ///   - body: decides the media type.
  private static func write(
    _ whole: any Serializable, _ body: any Serializable, _ role: ResponseRole? = nil, status: Int,
    headers: HeaderFields, _ settings: RouterSettings, reason: [UInt8]? = nil
  ) throws -> RouteResponse {
    let role = role ?? ResponseRole(of: body)
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

  /// The fields of most responses, made once.
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

  private static func head(
    _ status: Int, _ headers: HeaderFields, reason: [UInt8]?
  ) throws -> HTTPResponseHead {
    guard (200...999).contains(status) else { throw RouterError.badStatus(status) }
    var fields = HTTPFields()
    for field in headers where !(field.value.isEmpty && field.name.isHeaderName("Content-Type")) {
      do { try fields.append(field.name, field.value) } catch { throw RouterError.badHeader("\(error)") }
    }
    return HTTPResponseHead(status: status, reason: reason, fields: fields)
  }
}

/// What the values of a type mean for a response. Found out once a type: a failed cast is slow, and most values are
/// plain.
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

  init(of value: any Serializable) { self = TypePlans.plan(ofType: type(of: value)).responseRole }
}

/// Something that holds one value or none.
protocol SerializableBox {
  /// The value inside, or `.some(nil)` for none; `nil` when the box counts as the value, because what is inside cannot
  /// be serialized by itself.
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
