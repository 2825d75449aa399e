internal import TapedeckHTTP
import TapedeckOverrides
internal import TapedeckProxy
internal import TapedeckSockets

/// Serves the admin API: first the gate decides, then the operation with the request's path and method runs.
final class AdminResponder: Responder {
  private let gate: AdminGate
  private let context: AdminContext
  private var proxy: ProxyServer { context.proxy }
  private let metrics: Metrics
  private let operations: [(pattern: PathPattern, operation: AdminOperation)]

  init(gate: AdminGate, context: AdminContext, version: String?) throws(PathPatternError) {
    self.gate = gate
    self.context = context
    metrics = Metrics(of: context.proxy, version: version)
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
    var content: ServedResponse.Content
    do throws(AdminProblem) { content = try self.content(for: request) } catch {
      content = .response(error.response)
    }
    if case .response(var response) = content {
      response.head.preventCaching()
      content = .response(response)
    }
    return ServedResponse(content, by: .server)
  }

  private func content(for request: HTTPRequest) throws(AdminProblem) -> ServedResponse.Content {
    if let refusal = gate.refusalOfSender(request) { throw refusal }
    if let file = PublicFile(request) { return .response(try file.response(of: proxy)) }
    if let file = PageFile(request) { return .response(try file.response(to: request.method)) }
    let here = operations.filter { $0.pattern.match(request.path) != nil }
    let method = request.method == .head ? .get : request.method
    let chosen = here.first { $0.operation.method == method }
    if chosen?.operation.isOpen != true, let refusal = gate.refusalOfToken(request) { throw refusal }
    if request.method == .get || request.method == .head,
      Metrics.paths.contains(String(decoding: request.path, as: UTF8.self))
    {
      return .response(metrics.response)
    }
    guard !here.isEmpty else {
      throw AdminProblem(404, "there is nothing at this path; /v1/openapi.json lists all paths")
    }
    guard let (pattern, operation) = chosen else { throw Self.wrongMethod(here.map(\.operation.method)) }
    do {
      let asked = try AdminRequest(
        request, components: pattern.match(request.path) ?? [:], operation: operation, context: context)
      if request.method != .head, let stream = operation.stream { return .stream(try stream(asked)) }
      return .response(try operation.run(asked))
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

extension HTTPResponseHead {
  /// Nothing of the admin API may be cached, or its type guessed.
  mutating func preventCaching() {
    fields.append(literal: "Cache-Control", "no-store")
    fields.append(literal: "X-Content-Type-Options", "nosniff")
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

  /// Maps any other error than an `AdminProblem` to a conflict with the state of the proxy.
  init(conflict error: any Error) {
    self = error as? AdminProblem ?? AdminProblem(409, "\(error)")
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
