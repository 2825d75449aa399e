internal import Synchronization
internal import TapedeckHTTP

/// Admits requests that carry the token, name an address of this machine, and do not come from a web page.
///
/// The token alone would do. The other checks keep a web page in a browser on this machine from even trying, by DNS
/// rebinding (`Host`), or by a form or script of another site (`Origin`, `Sec-Fetch-Site`, content type).
final class AdminGate: Sendable {
  private let token: AdminToken
  /// The listener's port, which is known only after the gate is made.
  let listeningPort = Atomic<Int>(0)
  private var port: Int { listeningPort.load(ordering: .acquiring) }

  init(token: AdminToken) { self.token = token }

  /// Why a request is refused; `nil` if it is admitted.
  func refusal(of request: HTTPRequest) -> AdminProblem? {
    guard isOurs(request.authority) else {
      return AdminProblem(
        421,
        "the request is for another host; send it to 127.0.0.1:\(port), localhost:\(port) or [::1]:\(port)")
    }
    if request.fields.contains("origin") {
      return AdminProblem(403, "requests from web pages are refused: there is an Origin field")
    }
    if let site = request.fields.text("sec-fetch-site"), site != "none" {
      return AdminProblem(403, "requests from web pages are refused: there is a Sec-Fetch-Site field")
    }
    guard hasToken(request.fields) else {
      let isGiven = request.fields.contains("authorization")
      var problem = AdminProblem(
        401,
        isGiven
          ? "the token is wrong: each run has its own, in the file named at its start, unless one was given"
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
    else { return false }
    return token.isEqual(to: value.dropFirst(scheme.utf8.count))
  }
}
