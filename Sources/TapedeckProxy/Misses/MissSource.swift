internal import TapedeckHTTP
internal import TapedeckSockets

/// The explanation of a miss among many recordings. It is made on another thread, because the scan would keep the other
/// clients of the loop waiting. The miss is counted whether or not the client waits for it.
final class MissSource: ResponseSource {
  /// Makes the response, on the loop.
  private let respond: (Miss) -> HTTPResponse
  private let explain: @Sendable () -> Miss
  private let method: HTTPMethod
  private let loop: EventLoop
  private var sink: (any ResponseSink)?

  init(
    to method: HTTPMethod, loop: EventLoop, explain: @escaping @Sendable () -> Miss,
    respond: @escaping (Miss) -> HTTPResponse
  ) {
    self.method = method
    self.loop = loop
    self.explain = explain
    self.respond = respond
  }

  func start(into sink: any ResponseSink) {
    self.sink = sink
    Self.run(explain, for: LoopBound(self, on: loop))
  }

  private static func run(_ explain: @escaping @Sendable () -> Miss, for home: LoopBound<MissSource>) {
    Task.detached(priority: .utility) {
      let miss = explain()
      home.post { $0.deliver(miss) }
    }
  }

  func resume() {}

  func cancel() { sink = nil }

  private func deliver(_ miss: Miss) {
    let response = respond(miss)
    guard let sink = sink.take() else { return }
    response.send(into: sink, to: method)
  }
}
