internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import TapedeckHTTP
internal import TapedeckMocking

/// One request in progress: the client's, or one made by a redirection.
struct Exchange: Sendable {
  let original: URLRequest
  /// With the fields and cookies of the session.
  let urlRequest: URLRequest
  let request: Request
  let interception: Interception

  var unmatched: UnmatchedRequest {
    UnmatchedRequest(request: request, nearestRoutes: interception.routers.routers.nearestRoutes(to: request))
  }

  func note(_ source: InterceptedExchange.Source, _ outcome: InterceptedExchange.Outcome) {
    interception.note(InterceptedExchange(request: request, source: source, outcome: outcome))
  }
}

/// Turns a request into its response. Async handlers run in their own tasks, matching and other handlers on a
/// global queue, so that none of them delays other tasks. The client is called on the task's queue.
extension Loading {
  /// Runs predicates, so it must not be called on the task's queue.
  func respond(to urlRequest: URLRequest, _ body: [UInt8], of interception: Interception) {
    let prepared = urlRequest.prepared(for: configuration)
    guard let request = Request(prepared, body: body) else { return onQueue { $0.fail(URLError(.badURL)) } }
    let exchange = Exchange(
      original: urlRequest, urlRequest: prepared, request: request, interception: interception)
    guard let match = interception.routers.match(request) else {
      return respondUnmatched(exchange, interception.unmatched)
    }
    onQueue(after: match.latencyNanoseconds) { $0.run(match, exchange) }
  }

  // MARK: A route

  private func run(_ match: RouteMatch, _ exchange: Exchange) {
    let session = internals.session
    let source = InterceptedExchange.Source.route(match.routeDescription)
    guard match.isAsync else {
      return elsewhere { loading in
        let outcome = Result { try exchange.interception.runHandler { try match.run() } }
        loading.onQueue { $0.deliver(outcome.withoutErrors(of: match), exchange, source) }
      }
    }
    let task = Task { [self] in
      let outcome: Result<RouteResponse, any Error>
      do {
        outcome = .success(
          try await exchange.interception.runHandler { () async throws in
            try await match.run { request in
              guard let sent = URLRequest(request, like: exchange.urlRequest) else { throw URLError(.badURL) }
              return try await RealNetwork.response(to: sent, like: session)
            }
          })
      } catch {
        outcome = .failure(error)
      }
      onQueue { $0.deliver(outcome.withoutErrors(of: match), exchange, source) }
    }
    stopWork = { task.cancel() }
  }

  private func deliver(
    _ outcome: Result<RouteResponse, URLError>, _ exchange: Exchange, _ source: InterceptedExchange.Source
  ) {
    switch outcome {
    case .failure(let error): end(exchange, source, error)
    case .success(.response(let response)): deliver(response, exchange, source)
    case .success(.stream(let head, let stream)): deliver(head, stream, exchange, source)
    case .success(.passthrough): passOn(exchange)
    }
  }

  // MARK: No route

  private func respondUnmatched(_ exchange: Exchange, _ policy: UnmatchedPolicy) {
    switch policy {
    case .passThrough: onQueue { $0.passOn(exchange) }
    case .fail: onQueue { $0.end(exchange, .unmatched, .unserved(exchange.unmatched.description)) }
    case .respond(var response):
      if response.data?.isEmpty == true { response.setBody(RawBody.text("\(exchange.unmatched)\n")) }
      let outcome: Result<RouteResponse, URLError>
      do {
        outcome = .success(try RouteResponse(response))
      } catch {
        outcome = .failure(.unserved("\(exchange.unmatched) Its response is invalid: \(error)"))
      }
      onQueue { $0.deliver(outcome, exchange, .unmatched) }
    case .decide(let decide): respondUnmatched(exchange, decide(exchange.unmatched))
    }
  }

  private func passOn(_ exchange: Exchange) {
    var request = exchange.urlRequest
    request.httpBodyStream = nil
    request.httpBody = exchange.request.httpBody.map { Data($0) }
    let sent = RealNetwork.send(request, like: internals.session) { [weak self, hops] event in
      // Events of a request that was redirected are ignored.
      self?.onQueue { if $0.hops == hops { $0.passBack(event, exchange) } }
    }
    stopWork = { sent.cancel() }
  }

  private func passBack(_ event: RealNetwork.Event, _ exchange: Exchange) {
    switch event {
    case .head(let response):
      // If the delegate does not follow, the request is already cancelled and only the head is delivered.
      let isFollowed = follow(HTTPResponseHead(response), exchange, from: .network) { loading in
        loading.begin(response, exchange, .network)
        loading.finish()
      }
      if !isFollowed { begin(response, exchange, .network) }
    case .data(let data): write(data)
    case .end(nil): finish()
    case .end(let error?): end(exchange, .network, error)
    }
  }

  // MARK: The response

  private func deliver(
    _ response: HTTPResponse, _ exchange: Exchange, _ source: InterceptedExchange.Source
  ) {
    configuration?.keepCookies(response.head.cookies, of: exchange.urlRequest)
    let deliver: @Sendable (Loading) -> Void = { loading in
      guard loading.begin(response.head, exchange, source) else { return }
      if !BodyFraming.hasNoBody(status: response.head.status, method: exchange.request.method) {
        loading.write(response.body)
      }
      loading.finish()
    }
    if !follow(response.head, exchange, from: source, otherwise: deliver) { deliver(self) }
  }

  private func deliver(
    _ head: HTTPResponseHead, _ stream: BodyStream, _ exchange: Exchange, _ source: InterceptedExchange.Source
  ) {
    guard begin(head, exchange, source) else { return }
    if BodyFraming.hasNoBody(status: head.status, method: exchange.request.method) { return finish() }
    let task = Task { [self] in
      do {
        try await stream.produce(isPaced: true) { bytes in
          if isStopped { throw CancellationError() }
          onQueue { $0.write(bytes) }
        }
        onQueue { $0.finish() }
      } catch {
        onQueue { $0.fail(error as? URLError ?? .brokenOff(error)) }
      }
    }
    stopWork = { task.cancel() }
  }

  private func begin(
    _ head: HTTPResponseHead, _ exchange: Exchange, _ source: InterceptedExchange.Source
  ) -> Bool {
    guard let url = exchange.urlRequest.url, let response = HTTPURLResponse(head, of: url) else {
      end(exchange, source, URLError(.badServerResponse))
      return false
    }
    begin(response, exchange, source)
    return true
  }

  private func begin(
    _ response: HTTPURLResponse, _ exchange: Exchange, _ source: InterceptedExchange.Source
  ) {
    exchange.note(source, .status(response.statusCode))
    begin(response)
  }

  private func end(_ exchange: Exchange, _ source: InterceptedExchange.Source, _ error: URLError) {
    if !hasBegun { exchange.note(source, .failure(error)) }
    fail(error)
  }

  // MARK: Redirections

  /// Follows a redirection, unless the client's delegate objects.
  /// - Returns: false when the response is no redirection.
  private func follow(
    _ head: HTTPResponseHead, _ exchange: Exchange, from source: InterceptedExchange.Source,
    otherwise: @escaping @Sendable (Loading) -> Void
  ) -> Bool {
    guard let next = exchange.original.redirected(by: head) else { return false }
    stopWork?()
    stopWork = nil
    hops += 1
    guard hops <= 20 else {
      end(exchange, source, URLError(.httpTooManyRedirects))
      return true
    }
    consultDelegate(head, exchange, next) { loading, next in
      guard let next else { return otherwise(loading) }
      exchange.note(source, .status(head.status))
      let keepsBody = next.httpMethod == exchange.urlRequest.httpMethod
      loading.elsewhere {
        $0.respond(to: next, keepsBody ? exchange.request.http.body : [], of: exchange.interception)
      }
    }
    return true
  }

  private func consultDelegate(
    _ head: HTTPResponseHead, _ exchange: Exchange, _ next: URLRequest,
    _ follow: @escaping @Sendable (Loading, URLRequest?) -> Void
  ) {
    guard let task, let session = internals.session, let url = exchange.urlRequest.url,
      let delegate = (task.delegate ?? session.delegate) as? any URLSessionTaskDelegate,
      let response = HTTPURLResponse(head, of: url)
    else { return follow(self, next) }
    session.delegateQueue.addOperation { [self] in
      delegate.urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: next) {
        next in
        self.onQueue { follow($0, next) }
      }
    }
  }
}

extension Result where Success == RouteResponse {
  /// A `URLError` ends the request; any other error becomes a response.
  fileprivate func withoutErrors(of match: RouteMatch) -> Result<RouteResponse, URLError> {
    switch self {
    case .success(let response): .success(response)
    case .failure(let error as URLError): .failure(error)
    case .failure(let error): .success(match.response(to: error))
    }
  }
}
