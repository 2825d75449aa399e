internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckSockets

/// The response of a handler that is waited for: first for its route's latency, by a timer of the loop, then, if it is
/// `async`, for itself, in a task that comes back to the loop through its mailbox. The loop never blocks.
final class RouteSource: ResponseSource {
  private let match: RouteMatch
  private let next: any Responder
  private let loop: EventLoop
  private var sink: (any ResponseSink)?
  private var timer: LoopTimer?
  private var task: Task<Void, Never>?
  /// The source that writes, once it is known.
  private var successor: (any ResponseSource)?

  init(_ match: RouteMatch, next: any Responder, loop: EventLoop) {
    self.match = match
    self.next = next
    self.loop = loop
  }

  func start(into sink: any ResponseSink) {
    self.sink = sink
    guard match.latencyNanoseconds > 0 else { return run() }
    let timer = loop.makeTimer { [weak self] in self?.run() }
    timer.set(MonotonicTime(nanoseconds: MonotonicTime.now.nanoseconds + match.latencyNanoseconds))
    self.timer = timer
  }

  func resume() { successor?.resume() }

  func cancel() {
    timer?.cancel()
    task?.cancel()
    successor?.cancel()
    sink = nil
  }

  func clientLeft() {
    successor?.clientLeft()
    cancel()
  }

  func clientFinished() { successor?.clientFinished() }

  private func run() {
    guard match.isAsync else { return deliver(match.response()) }
    task = Self.waiting(for: match, home: LoopBound(self, on: loop))
  }

  private static func waiting(for match: RouteMatch, home: LoopBound<RouteSource>) -> Task<Void, Never> {
    Task {
      let response = await match.response { request in try await rest(of: home, request) }
      home.post { $0.deliver(response) }
    }
  }

  // MARK: The response

  private func deliver(_ response: RouteResponse) {
    guard let sink else { return }
    switch response {
    case .response(let response): finish(response, into: sink)
    case .stream(let head, let stream):
      hand(over: StreamedBody(stream, head: head, to: match.request.method, loop: loop), sink)
    case .passthrough: passOn(sink)
    }
  }

  private func finish(_ response: HTTPResponse, into sink: any ResponseSink) {
    self.sink = nil
    response.send(into: sink, to: match.request.method)
  }

  private func hand(over source: any ResponseSource, _ sink: any ResponseSink) {
    self.sink = nil
    successor = source
    source.start(into: sink)
  }

  private func passOn(_ sink: any ResponseSink) {
    do {
      let (response, source) = try rest(match.request)
      if let source { hand(over: source, sink) } else { finish(response, into: sink) }
    } catch {
      finish(.problem(500, "\(error)", cause: "proxy_internal_error"), into: sink)
    }
  }

  /// What the rest of the chain responds: a stream where there is one, else the response.
  private func rest(_ request: Request) throws -> (HTTPResponse, (any ResponseSource)?) {
    let unmatched = HTTPResponse.problem(404, "nothing here responds to this request")
    return switch try next.respond(to: request.http, decisions: nil)?.content {
    case .prepared(let prepared): (prepared.response ?? unmatched, nil)
    case .response(let response): (response, nil)
    case .stream(let source): (unmatched, source)
    case nil: (unmatched, nil)
    }
  }

  // MARK: request.continue()

  /// Asks the rest of the chain, on the loop, for a handler that waits.
  private static func rest(of home: LoopBound<RouteSource>, _ request: Request) async throws -> HTTPResponse {
    try await Reply<Result<HTTPResponse, any Error>>.value(onCancel: .failure(CancellationError())) { reply in
      home.post { $0.askRest(request, reply) }
    }.get()
  }

  private func askRest(_ request: Request, _ reply: Reply<Result<HTTPResponse, any Error>>) {
    do {
      let (response, source) = try rest(request)
      guard let source else { return reply.give(.success(response)) }
      successor = source
      source.start(into: reply.collector())
    } catch {
      reply.give(.failure(error))
    }
  }
}
