internal import TapedeckHTTP
internal import TapedeckMocking

/// Why a request for resources is refused.
struct ResourceProblem: Error {
  var status: Int
  var detail: String
  /// Where in the request's document, from its root or from the resource in it.
  var pointer: String?
  /// The query parameter that is to blame.
  var parameter: String?
  var header: String?
  /// The kind of problem, as a URI.
  var type: String?
  var meta: JSONValue?

  init(
    _ status: Int, _ detail: String, pointer: String? = nil, parameter: String? = nil, header: String? = nil,
    type: String? = nil, meta: JSONValue? = nil
  ) {
    self.status = status
    self.detail = detail
    self.pointer = pointer
    self.parameter = parameter
    self.header = header
    self.type = type
    self.meta = meta
  }

  /// The problem of any error.
  init(_ error: any Error) {
    switch error {
    case let problem as ResourceProblem: self = problem
    case StoreError.invalidEntity(let type, let id):
      self.init(404, "there is no \(type) \(id.debugDescription)")
    case StoreError.duplicateID(let type, let id):
      self.init(409, "the \(type) \(id.debugDescription) exists already")
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
    let steps = (context.codingPath + [last].compactMap { $0 }).map { key in
      key.intValue.map { "/\($0)" } ?? step(key.stringValue)
    }
    return ResourceProblem(422, context.debugDescription, pointer: "/attributes" + steps.joined())
  }

  /// A member's name as a step of a JSON pointer (RFC 6901 §3).
  static func step(_ name: String) -> String {
    name.reduce(into: "/") { $0 += $1 == "~" ? "~0" : $1 == "/" ? "~1" : String($1) }
  }

  /// The same problem, where its document stands at `pointer` in another one.
  func inside(_ pointer: String) -> ResourceProblem {
    var problem = self
    if parameter == nil, header == nil { problem.pointer = pointer + (self.pointer ?? "") }
    return problem
  }
}
