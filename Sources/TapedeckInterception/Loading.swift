internal import Dispatch
internal import Foundation
internal import FoundationNetworking
internal import Synchronization

/// The loading of one session task.
///
/// `@unchecked Sendable` because `URLProtocol` is not sendable: the mutable state belongs to the task's
/// queue, on which Foundation and the protocol call each other. Only `isStopped` is read elsewhere.
final class Loading: @unchecked Sendable {
  let request: URLRequest
  let task: URLSessionTask?
  let internals: TaskInternals
  let configuration: URLSessionConfiguration?
  /// The task's own queue, if reflection finds it.
  private let queue: DispatchQueue
  /// Set until the client has its response or has cancelled.
  private var server: Server?
  /// Cancels the work in progress outside of this queue.
  var stopWork: (@Sendable () -> Void)?
  /// Counts arrivals, to detect silence.
  private var activity = 0
  var hops = 0
  private(set) var hasBegun = false
  /// The body so far, for a client that receives it in one piece.
  private var collected: [UInt8]?
  private let stopped = Atomic<Bool>(false)

  init(_ server: Server) {
    self.server = server
    request = server.request
    task = server.task
    internals = TaskInternals(server.task)
    configuration = internals.session?.configuration
    queue = internals.queue ?? DispatchQueue(label: "Tapedeck.Server")
  }

  /// Whether the client has its response or has cancelled.
  var isStopped: Bool { stopped.load(ordering: .acquiring) }

  func start(_ interception: Result<Interception, URLError>) {
    let isDownload = task is URLSessionDownloadTask
    onQueue { loading in
      switch interception {
      case .failure(let error): loading.fail(error)
      case .success where isDownload:
        let reason = "Foundation on Linux does not let a protocol serve download tasks; use a data task"
        loading.fail(.unserved(reason))
      case .success(let interception):
        loading.watchForSilence()
        loading.readBody(for: interception)
      }
    }
  }

  func stop() {
    stopped.store(true, ordering: .releasing)
    stopWork?()
    stopWork = nil
    server = nil
  }

  // MARK: The queue

  /// Runs `body` on the task's queue, unless the client has cancelled by then.
  func onQueue(_ body: @escaping @Sendable (Loading) -> Void) {
    queue.async { [self] in if !isStopped { body(self) } }
  }

  /// Runs `body` after a delay. The timer does not retain the loading.
  func onQueue(after nanoseconds: Int64, _ body: @escaping @Sendable (Loading) -> Void) {
    guard nanoseconds > 0 else { return onQueue(body) }
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(nanoseconds))) { [weak self] in
      guard let self, !self.isStopped else { return }
      body(self)
    }
  }

  /// Runs user code and blocking work on a global queue, because the tasks of all sessions share one queue.
  func elsewhere(_ body: @escaping @Sendable (Loading) -> Void) {
    DispatchQueue.global().async { [self] in if !isStopped { body(self) } }
  }

  // MARK: The body of the request

  private func readBody(for interception: Interception) {
    let body = internals.body ?? RequestBody(request.httpBody) ?? RequestBody(request.httpBodyStream)
    let handed = HandedOver(body: body)
    elsewhere { loading in
      do {
        let bytes = try (handed.body ?? loading.streamOfDelegate)?.read() ?? []
        loading.respond(to: loading.request, bytes, of: interception)
      } catch {
        let reason = URLError(.requestBodyStreamExhausted, userInfo: [NSUnderlyingErrorKey: error])
        loading.onQueue { $0.fail(reason) }
      }
    }
  }

  /// A body handed to another thread and no longer used by the first one.
  private struct HandedOver: @unchecked Sendable {
    let body: RequestBody?
  }

  /// The body of an upload task that was created without one.
  private var streamOfDelegate: RequestBody? {
    guard let task = task as? URLSessionUploadTask, let session = internals.session,
      let delegate = (task.delegate ?? session.delegate) as? any URLSessionTaskDelegate
    else { return nil }
    let given = Mutex(HandedOver(body: nil))
    delegate.urlSession(session, task: task) { stream in
      let handed = HandedOver(body: RequestBody(stream))
      given.withLock { $0 = handed }
    }
    return given.withLock { $0.body }
  }

  // MARK: The client

  private func tell(_ body: (any URLProtocolClient, Server) -> Void) {
    guard !isStopped, let server, let client = server.client else { return }
    activity += 1
    body(client, server)
  }

  func begin(_ response: HTTPURLResponse) {
    hasBegun = true
    collected = internals.wantsPieces(task) ? nil : []
    tell { $0.urlProtocol($1, didReceive: response, cacheStoragePolicy: .notAllowed) }
  }

  func write(_ bytes: some Collection<UInt8>) {
    guard !bytes.isEmpty else { return }
    activity += 1
    if collected != nil {
      collected?.append(contentsOf: bytes)
    } else {
      tell { $0.urlProtocol($1, didLoad: Data(bytes)) }
    }
  }

  /// Fails if there was no response, because Foundation expects one before the end.
  func finish() {
    guard hasBegun else { return fail(URLError(.badServerResponse)) }
    if let collected, !collected.isEmpty { tell { $0.urlProtocol($1, didLoad: Data(collected)) } }
    tell { $0.urlProtocolDidFinishLoading($1) }
    stop()
  }

  func fail(_ error: URLError) {
    tell { $0.urlProtocol($1, didFailWithError: error.naming(request.url)) }
    stop()
  }

  /// Fails when no data arrives for as long as the timeout of the request or its session.
  private func watchForSilence() {
    let seconds = request.timeoutSeconds(in: configuration)
    guard seconds > 0, seconds < 86_400 else { return }
    let before = activity
    onQueue(after: Int64(seconds * 1_000_000_000)) { loading in
      if loading.activity == before { loading.fail(URLError(.timedOut)) } else { loading.watchForSilence() }
    }
  }
}
