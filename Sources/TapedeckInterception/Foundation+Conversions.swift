internal import Foundation
internal import FoundationNetworking
internal import TapedeckHTTP
internal import TapedeckMocking

extension Request {
  /// Returns `nil` without a URL. The fields are sorted by name, because Foundation keeps no order.
  init?(_ request: URLRequest, body: [UInt8]) {
    guard let url = request.url else { return nil }
    self.init(
      url.absoluteString, method: HTTPMethod(rawValue: request.httpMethod ?? "GET"),
      headers: HeaderFields(request.allHTTPHeaderFields ?? [:]), body: body)
  }
}

extension URLRequest {
  /// A request that a handler passes on, with Foundation's properties of the original.
  init?(_ request: Request, like original: URLRequest) {
    guard let url = URL(string: request.url) else { return nil }
    self = original
    self.url = url
    httpMethod = request.method.rawValue
    allHTTPHeaderFields = request.httpHeaders.dictionary
    httpBodyStream = nil
    httpBody = request.httpBody.map { Data($0) }
  }
}

extension HTTPURLResponse {
  /// Converts a head; fields with the same name are joined.
  convenience init?(_ head: HTTPResponseHead, of url: URL) {
    self.init(
      url: url, statusCode: head.status, httpVersion: "HTTP/1.1",
      headerFields: HeaderFields(head.fields).dictionary)
  }
}

extension HTTPResponseHead {
  /// The head of a response from the real network, with its fields sorted by name.
  init(_ response: HTTPURLResponse) {
    var fields = HTTPFields()
    let all = response.allHeaderFields.map { ("\($0.key)", "\($0.value)") }
    for (name, value) in all.sorted(by: { $0.0 < $1.0 }) { try? fields.append(name, value) }
    self.init(status: response.statusCode, fields: fields)
  }

  var cookies: [String] { fields.values(of: "set-cookie").map { String(decoding: $0, as: UTF8.self) } }
}

extension URLError {
  static func unserved(_ reason: String) -> URLError {
    URLError(.resourceUnavailable, userInfo: [NSLocalizedDescriptionKey: reason])
  }

  static func unserved(_ request: URLRequest, _ reason: String) -> URLError {
    unserved("\(request.url?.absoluteString ?? ""): \(reason)")
  }

  static func brokenOff(_ reason: any Error) -> URLError {
    URLError(
      .networkConnectionLost, userInfo: [NSLocalizedDescriptionKey: "the response broke off: \(reason)"])
  }

  func naming(_ url: URL?) -> URLError {
    guard let url, failingURL == nil else { return self }
    var userInfo = errorUserInfo
    userInfo[NSURLErrorFailingURLErrorKey] = url
    return URLError(code, userInfo: userInfo)
  }
}
