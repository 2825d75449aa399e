/// A JSON:API error as an answer, to be returned or thrown by a handler:
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

    public init(pointer: String? = nil, parameter: String? = nil, header: String? = nil) {
      self.pointer = pointer
      self.parameter = parameter
      self.header = header
    }
  }

  /// The members of an error object. What is nil is left out.
  public final class Builder {
    /// Of this occurrence of the problem.
    public var id: String?
    /// Where to read about this occurrence.
    public var about: JSONAPILink?
    /// Where to read about errors of this kind.
    public var type: JSONAPILink?
    /// The HTTP status of the answer.
    public var status: Int
    /// The application's own name for the problem.
    public var code: String?
    /// The same for every occurrence.
    public var title: String?
    /// About this occurrence.
    public var detail: String?
    public var source: Source?
    public var meta: (any Serializable & Sendable)?

    init(status: Int) { self.status = status }
  }

  private(set) var objects: [ErrorObject]
  public let headerFields: [String: String]?
  public let statusCode: Int

  public init(
    statusCode: Int, headerFields: [String: String]? = nil, errorBuilder: (_ error: Builder) -> Void
  ) {
    let builder = Builder(status: statusCode)
    errorBuilder(builder)
    objects = [ErrorObject(builder)]
    self.headerFields = headerFields
    self.statusCode = builder.status
  }

  /// Several errors in one answer. Its status is theirs when they agree, and 400 or 500 when they do not
  /// (JSON:API 1.1 §11.1).
  public init(_ errors: [JSONAPIError], headerFields: [String: String]? = nil) {
    objects = errors.flatMap(\.objects)
    self.headerFields = headerFields
    statusCode = Self.mostGeneral(objects.map(\.status))
  }

  private static func mostGeneral(_ statuses: [Int]) -> Int {
    guard let first = statuses.first else { return 500 }
    if statuses.allSatisfy({ $0 == first }) { return first }
    return statuses.contains { $0 >= 500 } ? 500 : 400
  }

  public var body: any Serializable { ErrorDocument(errors: objects) }

  public func customSerialized(transformingKeys keyTransformer: KeyTransformer?) -> Any? {
    body.serialized(transformingKeys: keyTransformer)
  }

  /// The same errors, found deeper in a document: inside the part that `pointer` leads to.
  func inside(_ pointer: String) -> JSONAPIError {
    var error = self
    for index in objects.indices where objects[index].source?.parameter == nil {
      error.objects[index].source = Source(pointer: pointer + (objects[index].source?.pointer ?? ""))
    }
    return error
  }
}

extension JSONAPIError: CustomStringConvertible {
  public var description: String {
    objects.map { "\($0.status) \($0.title ?? "")" + ($0.detail.map { ": \($0)" } ?? "") }
      .joined(separator: "; ")
  }
}

/// An error object (JSON:API 1.1 §11.2).
struct ErrorObject: Sendable {
  let id: String?
  let links: [(name: String, link: JSONAPILink)]
  let status: Int
  let code: String?
  let title: String?
  let detail: String?
  var source: JSONAPIError.Source?
  let meta: (any Serializable & Sendable)?

  init(_ builder: JSONAPIError.Builder) {
    id = builder.id
    links = [("about", builder.about), ("type", builder.type)].compactMap { name, link in
      link.map { (name, $0) }
    }
    status = builder.status
    code = builder.code
    title = builder.title
    detail = builder.detail
    source = builder.source
    meta = builder.meta
  }
}

extension ErrorObject: Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    run.out.append(UInt8(ascii: "{"))
    try run.member("id") { run throws(SerializationError) in try run.write(id) }
    try run.write(links: links.isEmpty ? nil : LinkTable(ordered: links))
    try run.member("status") { run throws(SerializationError) in try run.write(String(status)) }
    try run.member("code") { run throws(SerializationError) in try run.write(code) }
    try run.member("title") { run throws(SerializationError) in try run.write(title) }
    try run.member("detail") { run throws(SerializationError) in try run.write(detail) }
    try run.member("source") { run throws(SerializationError) in try writeSource(&run) }
    try run.write(meta: meta)
    run.out.append(UInt8(ascii: "}"))
    return true
  }

  private func writeSource(_ run: inout SerializationRun) throws(SerializationError) -> Bool {
    guard let source else { return false }
    run.out.append(UInt8(ascii: "{"))
    try run.member("pointer") { run throws(SerializationError) in try run.write(source.pointer) }
    try run.member("parameter") { run throws(SerializationError) in try run.write(source.parameter) }
    try run.member("header") { run throws(SerializationError) in try run.write(source.header) }
    run.out.append(UInt8(ascii: "}"))
    return true
  }
}

/// The document of an answer that failed.
private struct ErrorDocument: MediaTyped, Writable {
  let errors: [ErrorObject]

  var contentType: String { JSONAPIDocument.mediaType }

  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    try run.nested { run throws(SerializationError) in
      run.out.append(UInt8(ascii: "{"))
      try run.member("errors") { run throws(SerializationError) in try run.write(errors) }
      run.out.append(UInt8(ascii: "}"))
    }
    return true
  }
}
