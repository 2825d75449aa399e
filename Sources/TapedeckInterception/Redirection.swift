internal import Foundation
internal import FoundationNetworking
internal import TapedeckHTTP

/// Redirections as `URLSession` follows them; Foundation on Linux leaves that to the protocol.
enum Redirection {
  static let limit = 20

  /// The request to make next; `nil` when the response is to be delivered.
  static func next(after head: HTTPResponseHead, to request: URLRequest) -> URLRequest? {
    guard [301, 302, 303, 307, 308].contains(head.status), let origin = request.url,
      let location = head.fields.text("location"),
      let target = URL(string: location, relativeTo: origin)?.absoluteURL, target.host != nil
    else { return nil }
    var next = request
    next.url = keepingFragment(of: origin, target)
    if becomesGet(head.status, request.httpMethod ?? "GET") {
      next.httpMethod = "GET"
      next.httpBody = nil
      next.httpBodyStream = nil
      for name in ["Content-Type", "Content-Length"] { next.setValue(nil, forHTTPHeaderField: name) }
    }
    // Credentials for one origin are not sent to another.
    if !isSameOrigin(origin, target) {
      for name in ["Authorization", "Cookie"] { next.setValue(nil, forHTTPHeaderField: name) }
    }
    return next
  }

  /// 303 asks for GET; 301 and 302 turn POST into it (RFC 9110 §15.4.2 to §15.4.4).
  private static func becomesGet(_ status: Int, _ method: String) -> Bool {
    switch status {
    case 303: method != "HEAD"
    case 301, 302: method == "POST"
    default: false
    }
  }

  /// RFC 9110 §10.2.2: a fragment stays when the new URL has none.
  private static func keepingFragment(of origin: URL, _ target: URL) -> URL {
    guard target.fragment == nil, let fragment = origin.fragment else { return target }
    return URL(string: "\(target.absoluteString)#\(fragment)") ?? target
  }

  private static func isSameOrigin(_ one: URL, _ other: URL) -> Bool {
    one.scheme == other.scheme && one.host == other.host && one.port == other.port
  }
}
