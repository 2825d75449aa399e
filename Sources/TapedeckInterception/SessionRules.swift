internal import Foundation
internal import FoundationNetworking

/// What the configuration of a session says of its requests; Foundation's own protocols see to it, and so do we.
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

  /// Keeps the cookies of an answer, each with its own line.
  func keepCookies(_ lines: [String], of request: URLRequest) {
    guard request.httpShouldHandleCookies, let url = request.url,
      let storage = configuration?.httpCookieStorage
    else { return }
    let cookies = lines.flatMap {
      HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": $0], for: url)
    }
    storage.setCookies(cookies, for: url, mainDocumentURL: request.mainDocumentURL)
  }

  /// How long an answer may keep silent. The request's own time goes before the session's.
  func timeoutSeconds(_ request: URLRequest) -> TimeInterval {
    let usual = URLRequest.usualTimeoutSeconds
    if request.timeoutInterval != usual { return request.timeoutInterval }
    return configuration?.timeoutIntervalForRequest ?? usual
  }
}

extension URLRequest {
  /// That of a request that says nothing of it.
  fileprivate static let usualTimeoutSeconds: TimeInterval = 60
}
