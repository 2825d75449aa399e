internal import Synchronization
internal import TapedeckHTTP

/// Takes a streamed answer whole.
final class CollectingSink: ResponseSink {
  private let done: (Result<HTTPResponse, any Error>) -> Void
  private var response: HTTPResponse?

  init(done: @escaping (Result<HTTPResponse, any Error>) -> Void) { self.done = done }

  func informational(_ head: HTTPResponseHead) {}

  func begin(_ head: HTTPResponseHead, framing: BodyFraming) { response = HTTPResponse(head: head) }

  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    response?.body += bytes
    return .more
  }

  func end(trailers: HTTPFields) {
    guard let response else { return }
    done(.success(response))
  }

  /// Who waits for the whole of it gets what there is.
  func rest() { end(trailers: HTTPFields()) }

  func fail(_ response: HTTPResponse) {
    done(self.response == nil ? .success(response) : .failure(AnswerBrokeOff()))
  }

  func abort(_ end: ConnectionEnd) { done(.failure(AnswerBrokeOff())) }
}

/// The answer that a handler waited for ended before its end.
struct AnswerBrokeOff: Error, CustomStringConvertible {
  var description: String { "the answer broke off before its end" }
}

/// A source that flows into a collector: it never has to wait, and may be cancelled until it is through.
final class CollectedSource: ResponseSource {
  private let source: any ResponseSource
  private let sink: CollectingSink

  init(_ source: any ResponseSource, sink: CollectingSink) {
    self.source = source
    self.sink = sink
  }

  func start(into sink: any ResponseSink) {}
  func resume() {}
  func cancel() { source.cancel() }
  func clientLeft() { source.clientLeft() }
  func clientFinished() { source.clientFinished() }
}

/// Somebody who waits for the rest of the chain: told once, whoever is first.
final class AskedRest: Sendable {
  private struct State {
    var waiting: CheckedContinuation<HTTPResponse, any Error>?
    var result: Result<HTTPResponse, any Error>?
  }

  private let state = Mutex(State())

  func wait(_ continuation: CheckedContinuation<HTTPResponse, any Error>) {
    let result = state.withLock { state in
      if state.result == nil { state.waiting = continuation }
      return state.result
    }
    if let result { continuation.resume(with: result) }
  }

  func finish(_ result: Result<HTTPResponse, any Error>) {
    let waiting = state.withLock { state in
      if state.result == nil { state.result = result }
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(with: result)
  }
}
