internal import Glibc
public import TapedeckHTTP
public import TapedeckSockets

/// One request to the origin and its answer, which flows into a sink. All calls come on the loop's thread.
public final class UpstreamExchange: ResponseSource {
  enum State {
    case new
    case waiting(until: MonotonicTime)
    case running(UpstreamConnection)
    case over
  }

  private let client: UpstreamClient
  let request: HTTPRequest
  private(set) var receiver: ResponseReceiver?
  var state = State.new

  /// Who was asked, as `ip:port`; nil until a connection stood.
  public private(set) var remoteAddress: String?
  /// The header fields that the origin gets, in order; none before `start(into:)`.
  public private(set) var sentFields = HTTPFields()
  /// When `start(into:)` was called.
  public private(set) var startTime: MonotonicTime?

  init(_ request: HTTPRequest, client: UpstreamClient) {
    self.request = request
    self.client = client
  }

  public func start(into sink: any ResponseSink) {
    guard case .new = state, startTime == nil else { return }
    startTime = .now
    sentFields = OutgoingRequest.fields(of: request, client.configuration)
    receiver = ResponseReceiver(sink: sink, method: request.method, client.configuration)
    client.start(self)
  }

  public func resume() { client.resume(self) }

  public func cancel() {
    receiver?.close()
    client.cancel(self)
  }

  func departed(to address: String) { remoteAddress = address }

  /// Tells the sink what happened, if that is still to be told.
  func finish(_ failure: UpstreamFailure?) {
    state = .over
    receiver?.finish(failure)
  }
}
