/// A JSON:API error as a response, to be returned or thrown by a handler:
///
/// ```swift
/// throw JSONAPIError(statusCode: 404) { error in error.title = "No such article" }
/// ```
///
/// The body is `{"errors": […]}`, served as `application/vnd.api+json` with the error's own status.
/// Source: Kakapo; JSON:API 1.1 §11.
public struct JSONAPIError: Error, ResponseFieldsProvider {
  /// What the error is about: exactly one of the three, as a rule.
  public struct Source: Sendable, Equatable {
    /// A JSON pointer into the request's document (RFC 6901).
    public var pointer: String?
    /// The name of a query parameter.
    public var parameter: String?
    /// The name of a header field.
    public var header: String?

    /// Creates a source.
    public init(pointer: String? = nil, parameter: String? = nil, header: String? = nil) {
      self.pointer = pointer
      self.parameter = parameter
      self.header = header
    }
  }

  /// The members of an error object. Those that are nil are left out.
  public final class Builder {
    /// Of this occurrence of the problem.
    public var id: String?
    /// Where to read about this occurrence.
    public var about: JSONAPILink?
    /// Where to read about errors of this kind.
    public var type: JSONAPILink?
    /// The HTTP status of the response.
    public var status: Int
    /// The application's own name for the problem.
    public var code: String?
    /// The same for every occurrence.
    public var title: String?
    /// About this occurrence.
    public var detail: String?
    /// The cause in the request.
    public var source: Source?
    /// Meta information about the error.
    public var meta: (any Serializable & Sendable)?

    init(status: Int) { self.status = status }
  }

  private typealias Object = (
    status: Int, description: String, members: [(name: String, value: (any Sendable)?)]
  )

  private let objects: [Object]
  /// Header fields of the response.
  public let headerFields: [String: String]?
  /// The HTTP status of the response.
  public let statusCode: Int

  /// Creates an error.
  public init(
    statusCode: Int, headerFields: [String: String]? = nil, errorBuilder: (_ error: Builder) -> Void
  ) {
    let builder = Builder(status: statusCode)
    errorBuilder(builder)
    objects = [(builder.status, builder.description, builder.members)]
    self.headerFields = headerFields
    self.statusCode = builder.status
  }

  /// Several errors in one response. Its status is theirs when they agree, and 400 or 500 when they do not
  /// (JSON:API 1.1 §11.1).
  public init(_ errors: [JSONAPIError], headerFields: [String: String]? = nil) {
    objects = errors.flatMap(\.objects)
    self.headerFields = headerFields
    let statuses = Set(objects.map(\.status))
    statusCode =
      statuses.count == 1
      ? objects[0].status : statuses.allSatisfy { $0 < 500 } && !statuses.isEmpty ? 400 : 500
  }

  public var body: any Serializable { ErrorDocument(errors: objects.map(\.members)) }

  public func customSerialized(transformingKeys keyTransformer: KeyTransformer?) -> Any? {
    body.serialized(transformingKeys: keyTransformer)
  }
}

extension JSONAPIError: CustomStringConvertible {
  public var description: String { objects.map(\.description).joined(separator: "; ") }
}

/// An error object (JSON:API 1.1 §11.2).
extension JSONAPIError.Builder {
  fileprivate var description: String { "\(status) \(title ?? "")" + (detail.map { ": \($0)" } ?? "") }

  fileprivate var members: [(name: String, value: (any Sendable)?)] {
    let links = [("about", about), ("type", type)].compactMap { name, link in
      link.map { (name: name, link: $0) }
    }
    return [
      ("id", id), ("links", links.isEmpty ? nil : LinkTable(ordered: links)), ("status", String(status)),
      ("code", code), ("title", title), ("detail", detail), ("source", source), ("meta", meta),
    ]
  }
}

extension JSONAPIError.Source: Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    try JSONAPIMembers(("pointer", pointer), ("parameter", parameter), ("header", header)).write(to: &run)
  }
}

/// The document of a failed request.
private struct ErrorDocument: MediaTyped, Writable {
  let errors: [[(name: String, value: (any Sendable)?)]]

  var contentType: String { JSONAPIDocument.mediaType }

  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    let objects = errors.map { JSONAPIMembers($0.map { ($0.name, $0.value.map { $0 as Any }) }) }
    return try run.nested { run throws(SerializationError) in
      try JSONAPIMembers(("errors", objects)).write(to: &run)
    }
  }
}
