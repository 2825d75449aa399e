internal import Foundation
internal import FoundationNetworking
internal import TapedeckHTTP
internal import TapedeckMocking

/// One request on its way: the client's, or the one that a redirection has made of it.
struct Asking: Sendable {
  let original: URLRequest
  /// With what the session adds.
  let urlRequest: URLRequest
  let request: Request
  let interception: Interception

  var unmatched: UnmatchedRequest {
    UnmatchedRequest(request: request, nearestRoutes: interception.routers.nearestRoutes(to: request))
  }

  /// The answer to a request that no route takes, written as a route would write it.
  func answer(_ response: Response) -> HTTPResponse {
    let router = Router()
    let explains = response.data?.isEmpty == true
    let text = "\(unmatched)\n"
    router.any("*rest") { _ in
      guard explains else { return response }
      var response = response
      response.setBody(RawBody.text(text))
      return response
    }
    guard let match = router.match(request, at: .server), case .response(let written) = match.answer() else {
      return HTTPResponse(status: 404, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
    }
    return written
  }

  func note(_ source: InterceptedExchange.Source, _ outcome: InterceptedExchange.Outcome) {
    interception.note(InterceptedExchange(request: request, source: source, outcome: outcome))
  }
}

extension RealNetwork {
  /// The answer to what a handler sends on.
  static func answer(
    to request: Request, instead asking: Asking, like session: URLSession?
  ) async throws -> HTTPResponse {
    guard let sent = URLRequest(request, like: asking.urlRequest) else { throw URLError(.badURL) }
    return try await answer(to: sent, like: session)
  }
}

extension BodyStream {
  /// Writes it all, at its own pace.
  func paced(_ write: Write) async throws {
    guard let list = chunks else { return try await produce(write) }
    var interval = list.interval
    for (index, chunk) in list.chunks.enumerated() {
      if index > 0 {
        let pause = interval.nextNanoseconds()
        if pause > 0 { try await Task.sleep(nanoseconds: UInt64(pause)) }
      }
      try await write(chunk)
    }
  }
}

extension HTTPResponseHead {
  /// The values of its `Set-Cookie` lines.
  var cookies: [String] { fields.values(of: "set-cookie").map { String(decoding: $0, as: UTF8.self) } }
}
