internal import Foundation
internal import FoundationNetworking

// The rules of a session's configuration that Foundation leaves to its protocols.

extension URLRequest {
  func prepared(for configuration: URLSessionConfiguration?) -> URLRequest {
    guard let configuration, let url else { return self }
    var request = self
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

  /// How long a response may be silent. The request's own timeout takes precedence over the session's.
  func timeoutSeconds(in configuration: URLSessionConfiguration?) -> TimeInterval {
    // Foundation's default timeout of a request.
    let usual: TimeInterval = 60
    return timeoutInterval == usual ? configuration?.timeoutIntervalForRequest ?? usual : timeoutInterval
  }
}

extension URLSessionConfiguration {
  func keepCookies(_ lines: [String], of request: URLRequest) {
    guard request.httpShouldHandleCookies, let url = request.url, let storage = httpCookieStorage
    else { return }
    let cookies = lines.flatMap {
      HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": $0], for: url)
    }
    storage.setCookies(cookies, for: url, mainDocumentURL: request.mainDocumentURL)
  }
}
