internal import Synchronization
internal import TapedeckHTTP

/// Admits requests that carry the token, name an address of this machine if only this machine can reach the listener, and
/// do not come from a web page, unless it is the inspector.
///
/// The token alone would do. The other checks keep a web page in a browser on this machine from even trying, by DNS
/// rebinding (`Host`), or by a form or script of another site (`Origin`, `Sec-Fetch-Site`, content type).
final class AdminGate: Sendable {
  private let token: AdminToken
  private let access: PageAccess
  /// The listener's port, which is known only after the gate is made.
  let listeningPort = Atomic<Int>(0)
  private var port: Int { listeningPort.load(ordering: .acquiring) }

  private let requiresTLS: Bool
  /// Whether other machines can reach the listener, by names that only they know.
  private let acceptsAnyHost: Bool

  init(token: AdminToken, access: PageAccess, listener: AdminListener) {
    self.token = token
    self.access = access
    requiresTLS = listener.speaksTLS
    acceptsAnyHost = !listener.isLoopback
  }

  /// Why a request is refused even where it needs no token; `nil` if it is admitted.
  func refusalOfSender(_ request: HTTPRequest) -> AdminProblem? {
    // A listener with TLS also reads plain HTTP.
    guard !requiresTLS || request.scheme == .https else {
      return AdminProblem(403, "this listener responds over TLS only; write https in the URL")
    }
    guard acceptsAnyHost || isOurs(request.authority) else {
      return AdminProblem(
        421,
        "the request is for another host; send it to 127.0.0.1:\(port), localhost:\(port) or [::1]:\(port)")
    }
    if request.fields.contains("origin"), !isFromOurPage(request) {
      return AdminProblem(403, "requests from web pages are refused: there is an Origin field")
    }
    // A browser leaves out `Origin` where a page asks its own origin for something, and says so here.
    if let site = request.fields.text("sec-fetch-site"), site != "none", site != "same-origin" {
      return AdminProblem(403, "requests from web pages are refused: there is a Sec-Fetch-Site field")
    }
    return nil
  }

  /// Whether the page's origin is that of the listener, by the name that the request was admitted with (RFC 6454 §7).
  private func isFromOurPage(_ request: HTTPRequest) -> Bool {
    let origins = request.fields.values(of: "origin")
    guard origins.count == 1, let origin = origins.first, let ours = request.adminOrigin else { return false }
    return origin.elementsEqual(ours.utf8)
  }

  /// Why a request is refused for its token; `nil` if it has the one of the run, or that of a page.
  func refusalOfToken(_ request: HTTPRequest) -> AdminProblem? {
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
    let given = value.dropFirst(scheme.utf8.count)
    let isPage = access.accepts(token: given)
    return token.isEqual(to: given) || isPage
  }
}

extension HTTPRequest {
  /// The origin of the listener, as the client names it; `nil` if it names none.
  var adminOrigin: String? {
    guard !authority.isEmpty else { return nil }
    return "\(scheme.rawValue)://\(String(decoding: authority, as: UTF8.self).lowercased())"
  }
}
