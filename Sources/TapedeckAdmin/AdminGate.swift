internal import TapedeckHTTP

/// Who may come in: whoever knows the token, asks by an address of this machine, and is no page in a browser.
///
/// The token alone would do; the rest makes a page that a browser on this machine shows unable even to try, by DNS
/// rebinding (`Host`), by a form or script of another site (`Origin`, `Sec-Fetch-Site`, content type) or otherwise.
struct AdminGate: Sendable {
  let token: AdminToken
  let listening: ListeningPort
  private var port: Int { listening.number }

  /// Why the request is refused; nil when it may come in.
  func refusal(of request: HTTPRequest) -> AdminProblem? {
    guard isOurs(request.authority) else {
      return AdminProblem(
        421, "the request is for another host; ask 127.0.0.1:\(port), localhost:\(port) or [::1]:\(port)")
    }
    if request.fields.contains("origin") {
      return AdminProblem(403, "requests of web pages are refused: there is a field Origin")
    }
    if let site = request.fields.text("sec-fetch-site"), site != "none" {
      return AdminProblem(403, "requests of web pages are refused: Sec-Fetch-Site is there")
    }
    guard hasToken(request.fields) else {
      let isGiven = request.fields.contains("authorization")
      var problem = AdminProblem(
        401,
        isGiven
          ? "the token is wrong: each run has its own, in the file that its first lines name, unless one was given"
          : "the token of this run is needed: Authorization: Bearer TOKEN")
      problem.fields.append(literal: "WWW-Authenticate", "Bearer realm=\"tapedeck\"")
      return problem
    }
    return nil
  }

  private func isOurs(_ authority: [UInt8]) -> Bool {
    let text = String(decoding: authority, as: UTF8.self).lowercased()
    return ["127.0.0.1", "localhost", "[::1]"].contains {
      text == "\($0):\(port)" || port == 80 && text == $0
    }
  }

  private func hasToken(_ fields: HTTPFields) -> Bool {
    let values = fields.values(of: "authorization")
    guard values.count == 1, let value = values.first else { return false }
    let scheme = "bearer "
    guard value.count > scheme.utf8.count, zip(value, scheme.utf8).allSatisfy({ $0 | 0x20 == $1 | 0x20 })
    else {
      return false
    }
    return token.isEqual(to: value.dropFirst(scheme.utf8.count))
  }
}
