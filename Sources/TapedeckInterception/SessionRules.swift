internal import Foundation
internal import FoundationNetworking

/// The rules of a session's configuration, which Foundation leaves to its protocols.
struct SessionRules {
  private let configuration: URLSessionConfiguration?

  init(_ session: URLSession?) { configuration = session?.configuration }

  /// The request with the header fields and cookies of the session.
  func prepared(_ request: URLRequest) -> URLRequest {
    guard let configuration, let url = request.url else { return request }
    var request = request
    for (name, value) in configuration.httpAdditionalHeaders ?? [:]
    where request.value(forHTTPHeaderField: "\(name)") == nil {
      request.setValue("\(value)", forHTTPHeaderField: "\(name)")
    }
    if configuration.httpShouldSetCookies, request.httpShouldHandleCookies,
      request.value(forHTTPHeaderField: "Cookie") == nil,
      let cookies = configuration.httpCookieStorage?.cookies(for: url), !cookies.isEmpty
    {
      request.setValue(
        HTTPCookie.requestHeaderFields(with: cookies)["Cookie"], forHTTPHeaderField: "Cookie")
    }
    return request
  }

  /// Keeps the cookies of a response; each line is one `Set-Cookie`.
  func keepCookies(_ lines: [String], of request: URLRequest) {
    guard request.httpShouldHandleCookies, let url = request.url,
      let storage = configuration?.httpCookieStorage
    else { return }
    let cookies = lines.flatMap {
      HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": $0], for: url)
    }
    storage.setCookies(cookies, for: url, mainDocumentURL: request.mainDocumentURL)
  }

  /// How long a response may be silent. The request's own timeout takes precedence over the session's.
  func timeoutSeconds(_ request: URLRequest) -> TimeInterval {
    let usual = URLRequest.usualTimeoutSeconds
    if request.timeoutInterval != usual { return request.timeoutInterval }
    return configuration?.timeoutIntervalForRequest ?? usual
  }
}

extension URLRequest {
  /// The timeout of a request that does not set one.
  fileprivate static let usualTimeoutSeconds: TimeInterval = 60
}
