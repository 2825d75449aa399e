internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import Synchronization
internal import TapedeckHTTP

/// One request to the real network, in a session like the client's but without interception.
final class RealNetwork: NSObject, URLSessionDataDelegate {
  /// The events of a request, in this order: `head`, any number of `data`, one `end`.
  enum Event: Sendable {
    case head(HTTPURLResponse)
    case data(Data)
    case end(URLError?)
  }

  private let report: @Sendable (Event) -> Void
  private let session = Mutex<URLSession?>(nil)
  private let isCancelled = Atomic<Bool>(false)

  private init(_ report: @escaping @Sendable (Event) -> Void) { self.report = report }

  /// Sends the request and reports its events until `cancel`.
  static func send(
    _ request: URLRequest, like session: URLSession?, _ report: @escaping @Sendable (Event) -> Void
  ) -> RealNetwork {
    let sent = RealNetwork(report)
    // Creating a task waits for a queue that all sessions share, so it must not happen on a task's queue.
    DispatchQueue.global().async { sent.start(request, like: session) }
    return sent
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

  static func response(to request: URLRequest, like session: URLSession?) async throws -> HTTPResponse {
    let (events, continuation) = AsyncStream.makeStream(of: Event.self)
    let sent = send(request, like: session) { event in
      continuation.yield(event)
      if case .end = event { continuation.finish() }
    }
    defer { sent.cancel() }
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
    if let response = response as? HTTPURLResponse { report(.head(response)) }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    report(.data(data))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    // The session invalidates itself now.
    self.session.withLock { $0 = nil }
    report(.end(error.map { $0 as? URLError ?? URLError(.unknown, userInfo: [NSUnderlyingErrorKey: $0]) }))
  }

  /// Delivers redirections as responses; `Loading` follows them, perhaps to a route.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}
