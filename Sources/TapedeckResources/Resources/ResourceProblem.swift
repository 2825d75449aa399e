internal import TapedeckHTTP
internal import TapedeckMocking

/// Why a resource server refuses a request.
struct ResourceProblem: Error {
  var status: Int
  var title: String
  var detail: String
  /// Where in the request's document, from its root or from the resource in it.
  var pointer: String?
  /// The query parameter that is to blame.
  var parameter: String?
  var header: String?
  /// What kind of problem it is, as a URI.
  var type: String?
  var meta: JSONValue?

  init(
    _ status: Int, _ detail: String, pointer: String? = nil, parameter: String? = nil, header: String? = nil,
    type: String? = nil, meta: JSONValue? = nil
  ) {
    self.status = status
    title = Self.titles[status] ?? "Error"
    self.detail = detail
    self.pointer = pointer
    self.parameter = parameter
    self.header = header
    self.type = type
    self.meta = meta
  }

  private static let titles = [
    400: "Bad Request", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed", 406: "Not Acceptable",
    409: "Conflict", 415: "Unsupported Media Type", 422: "Unprocessable Content",
    500: "Internal Server Error",
  ]

  /// The problem of any error that came up on the way to an answer.
  init(_ error: any Error) {
    switch error {
    case let problem as ResourceProblem: self = problem
    case StoreError.invalidEntity(let type, let id):
      self.init(404, "there is no \(type) \(id.debugDescription)")
    case StoreError.duplicateID(let type, let id):
      self.init(409, "there is a \(type) \(id.debugDescription) already")
    default: self.init(500, "\(error)")
    }
  }

  static func missing(_ type: String, _ id: String) -> ResourceProblem {
    ResourceProblem(404, "there is no \(type) with the id \(id.debugDescription)")
  }

  /// An attribute that the Swift type cannot take.
  static func undecodable(_ error: any Error) -> ResourceProblem {
    guard let error = error as? DecodingError else { return ResourceProblem(error) }
    let (context, last): (DecodingError.Context, (any CodingKey)?) =
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
        (context, nil)
      case .keyNotFound(let key, let context): (context, key)
      @unknown default: (DecodingError.Context(codingPath: [], debugDescription: "\(error)"), nil)
      }
    let path = (context.codingPath + [last].compactMap { $0 }).map { key in
      key.intValue.map { "\($0)" } ?? JSONPointer.escaped(key.stringValue)
    }
    return ResourceProblem(
      422, context.debugDescription, pointer: "/attributes" + path.map { "/\($0)" }.joined())
  }
}

enum JSONPointer {
  /// A name as a step of a pointer (RFC 6901 §3).
  static func escaped(_ name: String) -> String {
    name.split(separator: "~", omittingEmptySubsequences: false).joined(separator: "~0")
      .split(separator: "/", omittingEmptySubsequences: false).joined(separator: "~1")
  }
}
