internal import TapedeckHTTP
internal import TapedeckProxy

/// Answers requests to the admin API: first the gate, then the one operation of that path and method.
final class AdminResponder: Responder {
  private let gate: AdminGate
  private let proxy: ProxyServer
  private let operations: [(pattern: PathPattern, operation: AdminOperation)]

  init(gate: AdminGate, proxy: ProxyServer) throws(PathPatternError) {
    self.gate = gate
    self.proxy = proxy
    var operations: [(PathPattern, AdminOperation)] = []
    for operation in AdminAPI.operations { operations.append((try PathPattern(operation.path), operation)) }
    self.operations = operations
  }

  func respond(to request: HTTPRequest, decisions: DecisionCollector?) -> ServedResponse? {
    var response: HTTPResponse
    do throws(AdminProblem) { response = try answer(request).response } catch { response = error.response }
    // Nothing here is for a cache, or to be guessed at.
    response.head.fields.append(literal: "Cache-Control", "no-store")
    response.head.fields.append(literal: "X-Content-Type-Options", "nosniff")
    return ServedResponse(.response(response), by: .server)
  }

  private func answer(_ request: HTTPRequest) throws(AdminProblem) -> AdminAnswer {
    if let refusal = gate.refusal(of: request) { throw refusal }
    let here = operations.filter { $0.pattern.match(request.path) != nil }
    guard !here.isEmpty else {
      throw AdminProblem(404, "there is nothing at this path; /v1/openapi.json says what there is")
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
      throw error as? AdminProblem ?? AdminProblem(500, "\(error)")
    }
  }

  private static func wrongMethod(_ allowed: [HTTPMethod]) -> AdminProblem {
    let names = allowed.map(\.rawValue) + (allowed.contains(.get) ? ["HEAD"] : [])
    var problem = AdminProblem(405, "this takes \(names.joined(separator: ", "))")
    problem.fields.append(literal: "Allow", names.joined(separator: ", "))
    return problem
  }
}
