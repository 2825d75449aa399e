internal import TapedeckHTTP
public import TapedeckMocking
internal import TapedeckServer
internal import TapedeckSockets

extension ProxyServer {
  /// The whole response to a request of this process, by the same links as for clients of the listener. The URL names the
  /// origin, so that a cassette of many hosts serves them all.
  ///
  /// ```swift
  /// interception.register("").any("*rest") { try await proxy.respond(to: $0) }
  /// ```
  ///
  /// - Throws: `ProxyError.stopped` after `stop`, `CancellationError`, or why the response broke off.
  public func respond(to request: Request) async throws -> Response {
    let http = request.namingOrigin
    let response = await Reply<Result<HTTPResponse, any Error>>.value(
      onCancel: .failure(CancellationError())
    ) { [server] reply in
      let isServing = server.onLoop { responder, observer in
        InProcessExchange(http, observer, reply).begin(responder)
      }
      if !isServing { reply.give(.failure(ProxyError.stopped)) }
    }
    return Response(try response.get())
  }
}

extension Request {
  /// The message as a client of a forward proxy sends it.
  fileprivate var namingOrigin: HTTPRequest {
    var http = http
    http.scheme = HTTPScheme(rawValue: scheme) ?? .http
    http.namesOrigin = true
    // A URL's host is a valid value.
    if !http.fields.contains("host") { try? http.fields.append("Host", authority) }
    return http
  }
}

/// A request of this process, on one loop.
private final class InProcessExchange {
  private let request: HTTPRequest
  private let observer: (any ExchangeObserver)?
  private let reply: Reply<Result<HTTPResponse, any Error>>
  private let startedAt = MonotonicTime.now

  init(
    _ request: HTTPRequest, _ observer: (any ExchangeObserver)?,
    _ reply: Reply<Result<HTTPResponse, any Error>>
  ) {
    self.request = request
    self.observer = observer
    self.reply = reply
  }

  func begin(_ responder: any Responder) {
    let unserved = HTTPResponse.problem(404, "nothing here responds to this request")
    do {
      guard let served = try responder.respond(to: request, decisions: nil) else {
        return reply.give(.success(unserved))
      }
      switch served.content {
      case .prepared(let prepared): finish(served, prepared.response ?? unserved)
      case .response(let response): finish(served, response)
      case .stream(let source): collect(served, source)
      }
    } catch {
      reply.give(.failure(error))
    }
  }

  private func collect(_ served: ServedResponse, _ source: any ResponseSource) {
    let collector = ResponseCollector { [self] collector, outcome in
      switch (outcome, collector.head) {
      case (.complete(let trailers), let head?):
        finish(served, HTTPResponse(head: head, body: collector.body, trailers: trailers))
      case (.failed(let response), nil): finish(served, response)
      default: reply.give(.failure(BrokeOff()))
      }
      // Until here it keeps the source.
      withExtendedLifetime(source) {}
    }
    source.start(into: collector)
  }

  private func finish(_ served: ServedResponse, _ response: HTTPResponse) {
    let hasNoBody = BodyFraming.hasNoBody(status: response.head.status, method: request.method)
    observer?.exchangeFinished(by: served.source) {
      ExchangeSummary(
        method: request.method, target: served.shownTarget ?? request.target, status: response.head.status,
        bodyBytes: hasNoBody ? 0 : response.body.count, source: served.source,
        durationNanoseconds: MonotonicTime.now.nanoseconds(since: startedAt),
        wasCutShort: false, decisions: served.decisions?.decisions, failure: response.failure)
    }
    reply.give(.success(hasNoBody ? HTTPResponse(head: response.head) : response))
  }
}
