internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckSockets

/// A response that is sent once it has come, while the loop of the admin API serves others.
final class PendingResponse: ResponseSource {
  typealias Finish = (HTTPResponse) -> Void

  private let begin: (@escaping Finish) throws -> Void
  private let method: HTTPMethod
  private var sink: (any ResponseSink)?

  /// - Parameter begin: begins what takes its time, and calls its argument on the loop's thread.
  init(to method: HTTPMethod = .post, _ begin: @escaping (@escaping Finish) throws -> Void) {
    self.begin = begin
    self.method = method
  }

  func start(into sink: any ResponseSink) {
    self.sink = sink
    do { try begin { [self] in finish($0) } } catch { finish(AdminProblem(conflict: error).response) }
  }

  func resume() {}
  func cancel() { sink = nil }

  private func finish(_ response: HTTPResponse) {
    guard let sink else { return }
    self.sink = nil
    var response = response
    response.head.preventCaching()
    response.send(into: sink, to: method)
  }
}

/// Work that takes long, on threads of its own. Belongs to the thread of the admin API's loop.
final class BackgroundWork {
  private var count = 0
  private static let maximumCount = 4
  private static let turnMilliseconds = 5

  private final class Outcome: Sendable {
    let response = Mutex<HTTPResponse?>(nil)
  }

  /// A response with what the work returns. What it throws is a conflict, unless it is an `AdminProblem`.
  func response(on loop: EventLoop, _ work: @escaping @Sendable () throws -> JSONValue) -> PendingResponse {
    PendingResponse(to: .get) { [self] finish in
      guard count < Self.maximumCount else {
        throw AdminProblem(503, "\(count) other requests of this kind are being served; try again")
      }
      let outcome = Outcome()
      let thread = try EventLoopThread { _ in
        let response: HTTPResponse
        do { response = .json(try work()) } catch {
          response = AdminProblem(conflict: error).response
        }
        outcome.response.withLock { $0 = response }
      }
      thread.stopAndForget()
      count += 1
      wait(for: outcome, on: loop, finish)
    }
  }

  private func wait(for outcome: Outcome, on loop: EventLoop, _ finish: @escaping PendingResponse.Finish) {
    var timer: LoopTimer?
    timer = loop.makeTimer { [self] in
      guard let response = outcome.response.withLock({ $0 }) else {
        timer?.set(MonotonicTime.now.adding(milliseconds: Self.turnMilliseconds))
        return
      }
      timer?.cancel()
      timer = nil
      count -= 1
      finish(response)
    }
    timer?.set(MonotonicTime.now.adding(milliseconds: Self.turnMilliseconds))
  }
}
