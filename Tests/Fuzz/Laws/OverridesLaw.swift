import TapedeckHTTP
import TapedeckMocking
import TapedeckProxy

/// An overrides file: an error that names the file, or routes whose answers are sent as one well-formed head with the
/// fields that were declared.
enum OverridesLaw {
  static func check(_ input: [UInt8]) throws(BrokenLaw) {
    let router = Router()
    do throws(ProxyError) {
      try OverridesFile.load(input, named: "file", into: router)
    } catch {
      return try require("\(error)".contains("file"), "\(error)")
    }
    guard let routes = try? JSONValue(parsing: input)["routes"]?.array else {
      throw BrokenLaw("loaded without routes")
    }
    for route in routes.prefix(8) {
      let request = HTTPRequest(
        HTTPMethod(rawValue: route["method"]?.text ?? "GET"), route["path"]?.text ?? "")
      do {
        guard let answer = try router.respond(to: request) else { continue }
        try isOneHead(answer, to: request.method)
      } catch {
        throw error as? BrokenLaw ?? BrokenLaw("\(error) for \(request)")
      }
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
