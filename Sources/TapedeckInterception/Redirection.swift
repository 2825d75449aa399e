internal import Foundation
internal import FoundationNetworking
internal import TapedeckHTTP

// Redirections as `URLSession` follows them; on Linux, Foundation leaves them to the protocol.

extension URLRequest {
  /// The next request; `nil` when the response is delivered instead.
  func redirected(by head: HTTPResponseHead) -> URLRequest? {
    guard [301, 302, 303, 307, 308].contains(head.status), let origin = url,
      let location = head.fields.text("location"),
      let target = URL(string: location, relativeTo: origin)?.absoluteURL, target.host != nil
    else { return nil }
    var next = self
    next.url = target
    // RFC 9110 §10.2.2: the fragment is kept when the new URL has none.
    if target.fragment == nil, let fragment = origin.fragment {
      next.url = URL(string: "\(target.absoluteString)#\(fragment)") ?? target
    }
    // 303 becomes GET; 301 and 302 turn POST into GET (RFC 9110 §15.4.2 to §15.4.4).
    let becomesGet = head.status == 303 ? httpMethod != "HEAD" : head.status < 303 && httpMethod == "POST"
    if becomesGet {
      next.httpMethod = "GET"
      next.httpBody = nil
      next.httpBodyStream = nil
      for name in ["Content-Type", "Content-Length"] { next.setValue(nil, forHTTPHeaderField: name) }
    }
    // Credentials are not sent to another origin.
    if origin.scheme != target.scheme || origin.host != target.host || origin.port != target.port {
      for name in ["Authorization", "Cookie"] { next.setValue(nil, forHTTPHeaderField: name) }
    }
    return next
  }
}
