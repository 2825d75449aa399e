internal import TapedeckHTTP
import TapedeckOverrides
internal import TapedeckProxy

/// Serves the admin API: first the gate decides, then the operation with the request's path and method runs.
final class AdminResponder: Responder {
  private let gate: AdminGate
  private let proxy: ProxyServer
  private let operations: [(pattern: PathPattern, operation: AdminOperation)]

  init(gate: AdminGate, proxy: ProxyServer) throws(PathPatternError) {
    self.gate = gate
    self.proxy = proxy
    var operations: [(PathPattern, AdminOperation)] = []
    for operation in AdminAPI.operations {
      operations.append((try PathPattern(operation.path), operation))
      // The request log is found under its former name too.
      let former = operation.path.split(separator: "/").map { $0 == "requests" ? "journal" : $0 }
      let formerPath = "/" + former.joined(separator: "/")
      if formerPath != operation.path { operations.append((try PathPattern(formerPath), operation)) }
    }
    self.operations = operations
  }

  func respond(to request: HTTPRequest, decisions: DecisionCollector?) -> ServedResponse? {
    var response: HTTPResponse
    do throws(AdminProblem) { response = try self.response(request) } catch { response = error.response }
    // Nothing here may be cached, or its type guessed.
    response.head.fields.append(literal: "Cache-Control", "no-store")
    response.head.fields.append(literal: "X-Content-Type-Options", "nosniff")
    return ServedResponse(.response(response), by: .server)
  }

  private func response(_ request: HTTPRequest) throws(AdminProblem) -> HTTPResponse {
    if let refusal = gate.refusal(of: request) { throw refusal }
    let here = operations.filter { $0.pattern.match(request.path) != nil }
    guard !here.isEmpty else {
      throw AdminProblem(404, "there is nothing at this path; /v1/openapi.json lists all paths")
    }
    let method = request.method == .head ? .get : request.method
    guard let (pattern, operation) = here.first(where: { $0.operation.method == method }) else {
      throw Self.wrongMethod(here.map(\.operation.method))
    }
    do {
      return try operation.run(
        AdminRequest(
          request, components: pattern.match(request.path) ?? [:], operation: operation, proxy: proxy))
    } catch {
      throw AdminProblem(error)
    }
  }

  private static func wrongMethod(_ allowed: [HTTPMethod]) -> AdminProblem {
    let names = allowed.map(\.rawValue) + (allowed.contains(.get) ? ["HEAD"] : [])
    var problem = AdminProblem(405, "this path takes \(names.joined(separator: ", "))")
    problem.fields.append(literal: "Allow", names.joined(separator: ", "))
    return problem
  }
}

/// A refusal or failure of the admin API (RFC 9457).
struct AdminProblem: Error {
  var status: Int
  var detail: String
  /// The place in the request's body, such as `when.query`.
  var place: String?
  var fields = HTTPFields()

  init(_ status: Int, _ detail: String, place: String? = nil) {
    self.status = status
    self.detail = detail
    self.place = place
  }

  /// Maps any error of an operation to a status.
  init(_ error: any Error) {
    switch error {
    case let problem as AdminProblem: self = problem
    case let problem as OverrideProblem: self.init(422, "\(problem)", place: problem.place)
    case let problem as JSONProblem:
      switch problem.kind {
      case .unknown(let name, _), .repeated(let name): self.init(400, problem.text, place: name)
      case .expected where problem.place.isEmpty: self.init(400, "the body must be an object")
      default: self.init(422, problem.text, place: problem.place)
      }
    default: self.init(500, "\(error)")
    }
  }

  static func missing(_ what: String, _ name: String) -> AdminProblem {
    AdminProblem(404, "there is no \(what) \(name.debugDescription)")
  }

  var response: HTTPResponse {
    let named = place.map { $0.isEmpty ? [] : [JSONMember("place", JSONValue($0))] }
    var response = HTTPResponse.problem(status, detail, members: named ?? [])
    for field in fields { response.head.fields.append(field) }
    return response
  }
}
