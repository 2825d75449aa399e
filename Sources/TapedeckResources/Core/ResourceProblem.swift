internal import TapedeckHTTP
internal import TapedeckMocking

/// Why a request for resources is refused.
struct ResourceProblem: Error {
  var status: Int
  var detail: String
  /// In the request's document, from its root or from the resource in it.
  var pointer: String?
  /// Of the query.
  var parameter: String?
  var header: String?
  /// The kind of problem, as a URI.
  var type: String?
  var meta: JSONValue?

  init(
    _ status: Int, _ detail: String, pointer: String? = nil, parameter: String? = nil, header: String? = nil,
    type: String? = nil, meta: JSONValue? = nil
  ) {
    (self.status, self.detail, self.type, self.meta) = (status, detail, type, meta)
    (self.pointer, self.parameter, self.header) = (pointer, parameter, header)
  }

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

  static func missing(
    _ type: String, _ id: String, status: Int = 404, pointer: String? = nil
  ) -> ResourceProblem {
    ResourceProblem(status, "there is no \(type) with the id \(id.debugDescription)", pointer: pointer)
  }

  /// Attributes that the Swift type cannot decode.
  static func undecodable(_ error: any Error) -> ResourceProblem {
    guard let error = error as? DecodingError else { return ResourceProblem(error) }
    var (text, keys): (String, [any CodingKey]) = ("\(error)", [])
    switch error {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
      (text, keys) = (context.debugDescription, context.codingPath)
    case .keyNotFound(let key, let context):
      (text, keys) = (context.debugDescription, context.codingPath + [key])
    @unknown default: break
    }
    let steps = keys.map { key in key.intValue.map { "/\($0)" } ?? step(key.stringValue) }
    return ResourceProblem(422, text, pointer: "/attributes" + steps.joined())
  }

  /// Escapes a member's name for a JSON pointer (RFC 6901 §3).
  static func step(_ name: String) -> String {
    name.reduce(into: "/") { $0 += $1 == "~" ? "~0" : $1 == "/" ? "~1" : String($1) }
  }

  /// The same problem of a document that is at `pointer` in another one.
  func inside(_ pointer: String) -> ResourceProblem {
    var problem = self
    if parameter == nil, header == nil { problem.pointer = pointer + (self.pointer ?? "") }
    return problem
  }

  /// Reads a whole number in a query parameter.
  static func number(
    _ text: String?, from least: Int, of parameter: String
  ) throws(ResourceProblem) -> Int? {
    guard let text else { return nil }
    if let number = Int(text), number >= least { return number }
    throw ResourceProblem(
      400, "\(parameter) must be a whole number of at least \(least), not \(text.debugDescription)",
      parameter: parameter)
  }

  /// Runs `body`, whose problems concern the document at `pointer`.
  static func inside<Result>(
    _ pointer: String, _ body: () throws(ResourceProblem) -> Result
  ) throws(ResourceProblem) -> Result {
    do throws(ResourceProblem) { return try body() } catch { throw error.inside(pointer) }
  }
}
