internal import Dispatch
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
  private let isCancelled = Atomic<Bool>(false)

  private init(_ tell: @escaping @Sendable (Event) -> Void) { self.tell = tell }

  /// Asks, and tells what happens until `cancel`.
  static func ask(
    _ request: URLRequest, like session: URLSession?, _ tell: @escaping @Sendable (Event) -> Void
  ) -> RealNetwork {
    let asked = RealNetwork(tell)
    // The queues of all sessions are one underneath, and making a task waits for it: never do that on a task's queue.
    DispatchQueue.global().async { asked.start(request, like: session) }
    return asked
  }

  private func start(_ request: URLRequest, like session: URLSession?) {
    let plain = URLSessionConfiguration.ephemeral
    let configuration = (session?.configuration.copy() as? URLSessionConfiguration) ?? plain
    configuration.protocolClasses = plain.protocolClasses
    let own = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    let isWanted = self.session.withLock { session in
      guard !isCancelled.load(ordering: .acquiring) else { return false }
      session = own
      return true
    }
    if isWanted { own.dataTask(with: request).resume() }
    own.finishTasksAndInvalidate()
  }

  func cancel() {
    isCancelled.store(true, ordering: .releasing)
    let running = session.withLock { session in
      defer { session = nil }
      return session
    }
    if let running { DispatchQueue.global().async { running.invalidateAndCancel() } }
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
    // Its session ends by itself now.
    self.session.withLock { $0 = nil }
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
