import TapedeckHTTP

@testable import TapedeckOverrides

/// An overrides file: an error that names file, line and column, or routes whose answers are the same for the same
/// request, whatever it holds, and are sent as one well-formed head with the fields that were declared.
enum OverridesLaw {
  static func check(_ input: [UInt8]) throws(BrokenLaw) {
    let overrides = Overrides()
    let file = OverridesFile("file") { _, _ in nil }
    let problems = OverridesCheck(input, of: file).problems
    do throws(OverridesFileError) { overrides.take(try file.document(input)) } catch {
      try require(isPlaced("\(error)", in: input), "\(error)")
      return try require(!problems.isEmpty, "\(error), and lint finds nothing")
    }
    try require(problems.isEmpty, "\(problems), and it loads")
    let again = overrides.fresh()
    for entry in overrides.routes.table.entries.prefix(8) {
      for request in requests(entry.rule) {
        let answer = overrides.routes.index?.response(to: request, overrides.routes.state)
        let same = again.routes.index?.response(to: request, again.routes.state)
        try require(answer?.delayNanoseconds == same?.delayNanoseconds, "the dice fall otherwise")
        guard let answer, let same else { continue }
        let sent = try sent(answer.content, to: request.method)
        let sentAgain = try Self.sent(same.content, to: request.method)
        try require(sent.head == sentAgain.head && sent.wireBody == sentAgain.wireBody, "answers differ")
        if request.method == .head { try require(sent.wireBody.isEmpty, "HEAD has a body") }
      }
    }
  }

  /// `file:LINE:COLUMN: text`, somewhere in the file.
  private static func isPlaced(_ text: String, in input: [UInt8]) -> Bool {
    let parts = text.split(separator: ":", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0] == "file", let line = Int(parts[1]), let column = Int(parts[2]) else {
      return false
    }
    return line >= 1 && line <= 1 + input.count { $0 == 0x0A } && column >= 1 && column <= input.count + 1
  }

  private static func requests(_ rule: RequestRule<RouteEffect>) -> [HTTPRequest] {
    let path = rule.source["path"]?.text ?? ""
    var fields = HTTPFields()
    fields.append(literal: "X-Mark", "a")
    let body = Array(#"{"name":"a\r\nb","n":1,"list":[1,{"a":null}]}"#.utf8)
    let method = rule.condition.methods?.first ?? .get
    return [
      HTTPRequest(method, path), HTTPRequest(.head, "\(path)?page=%0d%0aX:y"),
      HTTPRequest(method, "\(path)?page=1", fields: fields, body: body),
      HTTPRequest(method, "/a%0d%0aX:y/b/c"),
    ]
  }

  private static func sent(
    _ content: ServedResponse.Content, to method: HTTPMethod
  ) throws(BrokenLaw) -> PreparedResponse {
    switch content {
    case .prepared(let prepared):
      guard let response = prepared.response else { throw BrokenLaw("a head that is none") }
      try isOneHead(response, prepared)
      return prepared
    case .response(let response):
      let prepared = PreparedResponse(response, to: method)
      try isOneHead(response, prepared)
      return prepared
    case .stream: throw BrokenLaw("a stream")
    }
  }

  private static func isOneHead(_ answer: HTTPResponse, _ prepared: PreparedResponse) throws(BrokenLaw) {
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
