internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckSockets

/// A body that a handler writes bit by bit: from a list, by a timer of the loop, or from a task, which is held back
/// when the client reads slowly.
final class StreamedBody: ResponseSource {
  private let stream: BodyStream
  private let head: HTTPResponseHead
  private let hasBody: Bool
  private let loop: EventLoop
  private var sink: (any ResponseSink)?
  private var timer: LoopTimer?
  private var task: Task<Void, Never>?
  private var chunks: ArraySlice<[UInt8]> = []
  private var interval = BodyStream.Interval()
  private var isSinkFull = false
  /// Of a task whose bytes went out, and that waits until there is room for more: whether it goes on.
  private var writer: Reply<Bool>?

  init(_ stream: BodyStream, head: HTTPResponseHead, to method: HTTPMethod, loop: EventLoop) {
    self.stream = stream
    self.head = head
    self.loop = loop
    hasBody = !BodyFraming.hasNoBody(status: head.status, method: method)
  }

  func start(into sink: any ResponseSink) {
    self.sink = sink
    sink.begin(head, framing: hasBody ? .chunked : .none)
    guard hasBody else { return end() }
    if let list = stream.chunks {
      chunks = list.chunks[...]
      interval = list.interval
      timer = loop.makeTimer { [weak self] in self?.sendNext() }
      sendNext()
    } else {
      produce()
    }
  }

  func resume() {
    isSinkFull = false
    writer?.give(true)
    writer = nil
    if timer?.isSet == false, !chunks.isEmpty { sendNext() }
  }

  func cancel() {
    sink = nil
    timer?.cancel()
    task?.cancel()
    writer?.give(false)
    writer = nil
  }

  private func end() {
    guard let sink else { return }
    self.sink = nil
    sink.end(trailers: HTTPFields())
  }

  // MARK: From a list

  /// Sends chunks until one has to wait for its time or for room.
  private func sendNext() {
    while let sink, let chunk = chunks.popFirst() {
      switch chunk.withUnsafeBytes({ sink.write($0, endsChunk: true) }) {
      case .gone: return cancel()
      case .wait: isSinkFull = true
      case .more: break
      }
      let pause = interval.nextNanoseconds()
      if !chunks.isEmpty, pause > 0 {
        timer?.set(MonotonicTime(nanoseconds: MonotonicTime.now.nanoseconds + pause))
        return
      }
      if isSinkFull, !chunks.isEmpty { return }
    }
    end()
  }

  // MARK: From a task

  private func produce() {
    let home = LoopBound(self, on: loop)
    let stream = stream
    task = Task {
      do {
        try await stream.produce { bytes in
          let goesOn = await Reply.value(onCancel: false) { write in home.post { $0.send(bytes, write) } }
          if !goesOn { throw CancellationError() }
        }
        home.post { $0.end() }
      } catch {
        home.post { $0.breakOff("\(error)") }
      }
    }
  }

  private func send(_ bytes: [UInt8], _ write: Reply<Bool>) {
    guard let sink else { return write.give(false) }
    switch bytes.withUnsafeBytes({ sink.write($0, endsChunk: true) }) {
    case .more: write.give(true)
    case .wait: writer = write
    case .gone:
      write.give(false)
      cancel()
    }
  }

  private func breakOff(_ problem: String) {
    guard let sink else { return }
    self.sink = nil
    sink.fail(
      HTTPResponse(status: 500, contentType: "text/plain; charset=utf-8", body: Array("\(problem)\n".utf8)))
  }
}
