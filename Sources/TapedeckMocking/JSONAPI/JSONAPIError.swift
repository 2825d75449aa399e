/// A JSON:API error as a response, to be returned or thrown by a handler:
///
/// ```swift
/// throw JSONAPIError(statusCode: 404) { error in error.title = "No such article" }
/// ```
///
/// The body is `{"errors": […]}`, with the error's own status (JSON:API 1.1 §11). Source: Kakapo.
public struct JSONAPIError: Error, ResponseFieldsProvider {
  /// The part of the request that caused the error; normally only one of the three is set.
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

  /// The members of an error object (JSON:API 1.1 §11.2); those that are `nil` are left out.
  public final class Builder {
    /// An identifier of this occurrence of the problem.
    public var id: String?
    /// A link to details about this occurrence.
    public var about: JSONAPILink?
    /// A link to details about errors of this kind.
    public var type: JSONAPILink?
    /// The HTTP status of the response.
    public var status: Int
    /// The application's own code for the problem.
    public var code: String?
    /// A summary that is the same for every occurrence.
    public var title: String?
    /// A description of this occurrence.
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

  /// Combines errors in one response, with their status, or 400 or 500 when they differ (JSON:API 1.1 §11.1).
  public init(_ errors: [JSONAPIError], headerFields: [String: String]? = nil) {
    objects = errors.flatMap(\.objects)
    self.headerFields = headerFields
    let statuses = Set(objects.map(\.status))
    statusCode =
      statuses.count == 1
      ? objects[0].status : statuses.allSatisfy { $0 < 500 } && !statuses.isEmpty ? 400 : 500
  }

  public var body: any Serializable {
    let errors = objects.map { object in JSONAPIMembers(object.members.map { ($0.name, $0.value as Any?) }) }
    return JSONAPIMembers(("errors", errors))
  }
}

extension JSONAPIError: CustomStringConvertible {
  public var description: String { objects.map(\.description).joined(separator: "; ") }
}

extension JSONAPIError.Builder {
  fileprivate var description: String { "\(status) \(title ?? "")" + (detail.map { ": \($0)" } ?? "") }

  fileprivate var members: [(name: String, value: (any Sendable)?)] {
    let links = [("about", about), ("type", type)].compactMap { name, link in link.map { (name, $0) } }
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
