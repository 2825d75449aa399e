internal import Foundation
internal import FoundationNetworking
internal import Synchronization
internal import TapedeckHTTP

/// One request to the real network, in a session like the client's that nobody intercepts.
final class RealNetwork: NSObject, URLSessionDataDelegate {
  /// What happens, in this order: `head`, `data`*, `end` once.
  enum Event: Sendable {
    case head(HTTPURLResponse)
    case data(Data)
    case end(URLError?)
  }

  private let tell: @Sendable (Event) -> Void
  private let session = Mutex<URLSession?>(nil)

  private init(_ tell: @escaping @Sendable (Event) -> Void) { self.tell = tell }

  /// Asks, and tells what happens until `cancel`.
  static func ask(
    _ request: URLRequest, like session: URLSession?, _ tell: @escaping @Sendable (Event) -> Void
  ) -> RealNetwork {
    let asked = RealNetwork(tell)
    let plain = URLSessionConfiguration.ephemeral
    let configuration = (session?.configuration.copy() as? URLSessionConfiguration) ?? plain
    configuration.protocolClasses = plain.protocolClasses
    let own = URLSession(configuration: configuration, delegate: asked, delegateQueue: nil)
    asked.session.withLock { $0 = own }
    own.dataTask(with: request).resume()
    own.finishTasksAndInvalidate()
    return asked
  }

  func cancel() {
    session.withLock { session in
      session?.invalidateAndCancel()
      session = nil
    }
  }

  /// The whole answer.
  static func answer(to request: URLRequest, like session: URLSession?) async throws -> HTTPResponse {
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    let asked = ask(request, like: session) { event in
      continuation.yield(event)
      if case .end = event { continuation.finish() }
    }
    defer { asked.cancel() }
    var response = HTTPResponse(head: HTTPResponseHead(status: 502))
    for await event in events {
      switch event {
      case .head(let head): response.head = HTTPResponseHead(head)
      case .data(let data): response.body += data
      case .end(let error): if let error { throw error }
      }
    }
    try Task.checkCancellation()
    return response
  }

  // MARK: URLSessionDataDelegate

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    if let response = response as? HTTPURLResponse { tell(.head(response)) }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    tell(.data(data))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    tell(.end(error.map { $0 as? URLError ?? URLError(.unknown, userInfo: [NSUnderlyingErrorKey: $0]) }))
  }

  /// Redirections are answers; who asked follows them, and may meet a route there.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}
