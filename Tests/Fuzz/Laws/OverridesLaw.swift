import TapedeckHTTP

@testable import TapedeckProxy

/// An overrides file: an error that names the file, or routes whose answers are sent as one well-formed head with the
/// fields that were declared.
enum OverridesLaw {
  static func check(_ input: [UInt8]) throws(BrokenLaw) {
    let overrides = Overrides()
    do throws(ProxyError) {
      try OverridesFile.load(input, named: "file", into: overrides)
    } catch {
      return try require("\(error)".contains("file"), "\(error)")
    }
    let responder = RouteRuleResponder(overrides.routes)
    for entry in overrides.routes.entries.prefix(8) {
      let request = HTTPRequest(
        entry.rule.condition.methods?.first ?? .get, entry.rule.source["path"]?.text ?? "")
      guard case .response(let answer)? = responder.respond(to: request)?.content else { continue }
      try isOneHead(answer, to: request.method)
    }
  }

  private static func isOneHead(_ answer: HTTPResponse, to method: HTTPMethod) throws(BrokenLaw) {
    let prepared = PreparedResponse(answer, to: method)
    var limits = HTTPLimits.response
    limits.fieldCount = .max
    let head = try? HTTP1ResponseHeadParser.parse(prepared.head, limits: limits)
    try require(head?.status == answer.head.status, "\(answer) is sent as \(String(describing: head))")
    let framing = ["content-length", "transfer-encoding", "connection"] as [StaticString]
    func declared(_ fields: HTTPFields?) -> [HTTPField] {
      (fields ?? HTTPFields()).filter { field in !framing.contains { field.isNamed($0) } }
    }
    try require(declared(head?.fields) == declared(answer.head.fields), "\(answer) is sent with other fields")
  }
}
