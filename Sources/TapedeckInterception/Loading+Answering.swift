internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import TapedeckHTTP
internal import TapedeckMocking

/// From a request to what the client hears. Matching and handlers run elsewhere: those that wait in tasks of their own,
/// the others on a thread of Dispatch, so that neither a test that blocks nor a handler that does holds up anyone else.
/// What the client hears is said on the task's queue.
extension Loading {
  /// To be called elsewhere than on the task's queue: predicates run here.
  func ask(_ urlRequest: URLRequest, _ body: [UInt8], of interception: Interception) {
    let prepared = rules.prepared(urlRequest)
    guard let request = Request(prepared, body: body) else { return onQueue { $0.fail(URLError(.badURL)) } }
    let asking = Asking(
      original: urlRequest, urlRequest: prepared, request: request, interception: interception)
    if let match = interception.routers.match(request) {
      wait(match.latencyNanoseconds) { $0.run(match, asking) }
    } else {
      answerUnmatched(asking, interception.unmatched)
    }
  }

  private func wait(_ nanoseconds: Int64, then body: @escaping @Sendable (Loading) -> Void) {
    if nanoseconds > 0 { onQueue(after: nanoseconds, body) } else { onQueue(body) }
  }

  // MARK: A route

  private func run(_ match: RouteMatch, _ asking: Asking) {
    let session = internals.session
    if match.isAsync {
      let task = Task { [self] in
        let outcome = await Self.outcome(match) {
          try await asking.interception.runHandler { () async throws in
            try await match.outcome { try await RealNetwork.answer(to: $0, instead: asking, like: session) }
          }
        }
        onQueue { $0.deliver(outcome, match, asking) }
      }
      stopWork = { task.cancel() }
    } else {
      elsewhere { loading in
        let outcome = Result { try asking.interception.runHandler { try match.outcome() } }
        loading.onQueue { $0.deliver(Self.withoutErrors(outcome, match), match, asking) }
      }
    }
  }

  private static func outcome(
    _ match: RouteMatch, _ run: () async throws -> RouteAnswer
  ) async -> Result<RouteAnswer, URLError> {
    do { return .success(try await run()) } catch { return withoutErrors(.failure(error), match) }
  }

  /// An error of Foundation's is how the request ends; any other is an answer.
  private static func withoutErrors(
    _ outcome: Result<RouteAnswer, any Error>, _ match: RouteMatch
  ) -> Result<RouteAnswer, URLError> {
    switch outcome {
    case .success(let answer): .success(answer)
    case .failure(let error as URLError): .failure(error)
    case .failure(let error): .success(match.failure(error))
    }
  }

  private func deliver(_ outcome: Result<RouteAnswer, URLError>, _ match: RouteMatch, _ asking: Asking) {
    let source = InterceptedExchange.Source.route(match.routeDescription)
    switch outcome {
    case .failure(let error): end(asking, source, error)
    case .success(.response(let response)): deliver(response, asking, source)
    case .success(.stream(let head, let stream)): deliver(head, stream, asking, source)
    case .success(.passthrough): passOn(asking)
    }
  }

  // MARK: No route

  private func answerUnmatched(_ asking: Asking, _ policy: UnmatchedPolicy) {
    switch policy {
    case .passThrough: onQueue { $0.passOn(asking) }
    case .fail: onQueue { $0.end(asking, .unmatched, .unanswerable(asking.unmatched.description)) }
    case .answer(let response):
      let answer = asking.answer(response)
      onQueue { $0.deliver(answer, asking, .unmatched) }
    case .decide(let decide): answerUnmatched(asking, decide(asking.unmatched))
    }
  }

  /// Hands the request to the real network, and what it says to the client, as it comes.
  private func passOn(_ asking: Asking) {
    var request = asking.urlRequest
    request.httpBodyStream = nil
    request.httpBody = asking.request.httpBody.map { Data($0) }
    let asked = RealNetwork.ask(request, like: internals.session) { [weak self, hops] event in
      // What still arrives when a redirection was followed, is nobody's any more.
      self?.onQueue { if $0.hops == hops { $0.passBack(event, asking) } }
    }
    stopWork = { asked.cancel() }
  }

  private func passBack(_ event: RealNetwork.Event, _ asking: Asking) {
    switch event {
    case .head(let response):
      // Where a delegate does not follow, the network is not listened to any more: the head is all there is.
      let isFollowed = follow(HTTPResponseHead(response), asking, from: .network) { loading in
        loading.begin(response, asking, .network)
        loading.finish()
      }
      if !isFollowed { begin(response, asking, .network) }
    case .data(let data): write(data)
    case .end(nil): finish()
    case .end(let error?): end(asking, .network, error)
    }
  }

  // MARK: The answer

  func deliver(_ response: HTTPResponse, _ asking: Asking, _ source: InterceptedExchange.Source) {
    rules.keepCookies(response.head.cookies, of: asking.urlRequest)
    let answer: @Sendable (Loading) -> Void = { loading in
      guard loading.begin(response.head, asking, source) else { return }
      if !BodyFraming.hasNoBody(status: response.head.status, method: asking.request.method) {
        loading.write(response.body)
      }
      loading.finish()
    }
    if !follow(response.head, asking, from: source, otherwise: answer) { answer(self) }
  }

  private func deliver(
    _ head: HTTPResponseHead, _ stream: BodyStream, _ asking: Asking, _ source: InterceptedExchange.Source
  ) {
    guard begin(head, asking, source) else { return }
    if BodyFraming.hasNoBody(status: head.status, method: asking.request.method) { return finish() }
    let task = Task { [self] in
      do {
        try await stream.paced { bytes in
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
    _ head: HTTPResponseHead, _ asking: Asking, _ source: InterceptedExchange.Source
  ) -> Bool {
    guard let url = asking.urlRequest.url, let response = HTTPURLResponse(head, of: url) else {
      end(asking, source, URLError(.badServerResponse))
      return false
    }
    begin(response, asking, source)
    return true
  }

  private func begin(
    _ response: HTTPURLResponse, _ asking: Asking, _ source: InterceptedExchange.Source
  ) {
    asking.note(source, .status(response.statusCode))
    begin(response)
  }

  private func end(_ asking: Asking, _ source: InterceptedExchange.Source, _ error: URLError) {
    if !hasBegun { asking.note(source, .failure(error)) }
    fail(error)
  }

  // MARK: Redirections

  /// Follows a redirection, if the answer is one and the client's delegate does not mind; false when it is none.
  private func follow(
    _ head: HTTPResponseHead, _ asking: Asking, from source: InterceptedExchange.Source,
    otherwise: @escaping @Sendable (Loading) -> Void
  ) -> Bool {
    guard let next = Redirection.next(after: head, to: asking.original) else { return false }
    stopWork?()
    stopWork = nil
    hops += 1
    guard hops <= Redirection.limit else {
      end(asking, source, URLError(.httpTooManyRedirects))
      return true
    }
    askDelegate(head, asking, next) { loading, next in
      guard let next else { return otherwise(loading) }
      asking.note(source, .status(head.status))
      let keepsBody = next.httpMethod == asking.urlRequest.httpMethod
      loading.elsewhere { $0.ask(next, keepsBody ? asking.request.http.body : [], of: asking.interception) }
    }
    return true
  }

  private func askDelegate(
    _ head: HTTPResponseHead, _ asking: Asking, _ next: URLRequest,
    _ follow: @escaping @Sendable (Loading, URLRequest?) -> Void
  ) {
    guard let task, let session = internals.session, let url = asking.urlRequest.url,
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
