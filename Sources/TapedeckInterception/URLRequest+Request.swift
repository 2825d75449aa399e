internal import Foundation
internal import FoundationNetworking
internal import TapedeckHTTP
internal import TapedeckMocking

extension Request {
  /// What a client asks of Foundation. Nil without a URL. The fields come in the order of their names, for Foundation
  /// keeps none.
  init?(_ request: URLRequest, body: [UInt8]) {
    guard let url = request.url else { return nil }
    self.init(
      url.absoluteString, method: HTTPMethod(rawValue: request.httpMethod ?? "GET"),
      headers: HeaderFields(request.allHTTPHeaderFields ?? [:]), body: body)
  }
}

extension URLRequest {
  /// A request that a handler sends on, with what Foundation knows of the one that came.
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
  /// Foundation's form of a head; fields of one name are joined.
  convenience init?(_ head: HTTPResponseHead, of url: URL) {
    self.init(
      url: url, statusCode: head.status, httpVersion: "HTTP/1.1",
      headerFields: HeaderFields(head.fields).dictionary)
  }
}

extension HTTPResponseHead {
  /// The head of an answer of the real network, fields in the order of their names.
  init(_ response: HTTPURLResponse) {
    var fields = HTTPFields()
    let all = response.allHeaderFields.map { ("\($0.key)", "\($0.value)") }
    for (name, value) in all.sorted(by: { $0.0 < $1.0 }) { try? fields.append(name, value) }
    self.init(status: response.statusCode, fields: fields)
  }
}
