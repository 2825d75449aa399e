import Synchronization
import TapedeckHTTP
import TapedeckServer
import TapedeckSockets
import TestSupport
import Testing

/// Lets a source say how far its client reads.
private final class Progress: Sendable {
  private let goal = Atomic(0)
  private let isSet: Latch
  private let isReached: Latch

  init() throws { (isSet, isReached) = (try Latch(), try Latch()) }

  /// To be called by the source: returns when the client has read `count` bytes in all.
  func allow(_ count: Int) {
    goal.store(count, ordering: .relaxed)
    isSet.signal()
    isReached.wait()
  }

  func allowAll() {
    goal.store(.max, ordering: .relaxed)
    isSet.signal()
  }

  /// To be called by the client: reads as far as it is let each time, and returns how much came in all.
  func read(_ client: Client) -> Int {
    var count = 0
    while true {
      isSet.wait()
      let goal = goal.load(ordering: .relaxed)
      while count < goal, let piece = client.read() { count += piece }
      if goal == .max { return count }
      isReached.signal()
    }
  }
}

/// A source that had more at hand than it was to send, as one has that decodes what has come from an origin: it goes on
/// writing while its client reads.
private final class Batch: ResponseSource {
  static let size = 32 << 20
  private let progress: Progress
  private var sink: (any ResponseSink)?
  private var isWaiting = false

  init(_ progress: Progress) { self.progress = progress }

  func start(into sink: any ResponseSink) {
    self.sink = sink
    sink.begin(HTTPResponseHead(status: 200), framing: .untilClose)
    write(Self.size)
    #expect(isWaiting)
    // Until no more is left than a source may be told to go on with.
    for read in stride(from: 0, through: Self.size - highWater, by: 64 * 1024) where isWaiting {
      progress.allow(read)
      write(1)
    }
    #expect(isWaiting, "who was told to wait was told to go on without being resumed")
    progress.allowAll()
  }

  private func write(_ count: Int) {
    guard let sink else { return }
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: count)
    isWaiting = piece.withUnsafeBytes { sink.write($0, endsChunk: true) } == .wait
  }

  func resume() {
    guard let sink else { return }
    isWaiting = false
    self.sink = nil
    sink.end(trailers: HTTPFields())
  }

  func cancel() { Issue.record("the client stays") }
}

private final class Batches: Responder {
  private let progress: Progress
  init(_ progress: Progress) { self.progress = progress }

  func respond(to request: HTTPRequest, decisions: DecisionCollector?) -> ServedResponse? {
    ServedResponse(.stream(Batch(progress)), by: .upstream)
  }
}

/// More than one write can take, so that what waits does not fall from above it to a quarter of it at once.
private let highWater = 8 << 20

@Test func `a source that writes on while it is to wait is resumed all the same`() throws {
  let progress = try Progress()
  var configuration = ServerConfiguration()
  configuration.outputHighWaterBytes = highWater
  configuration.turnBytes = .max
  let server = try HTTPServer(
    address: SocketAddress(host: "127.0.0.1", port: 0), threads: 1, configuration: configuration,
    makeResponder: { _ in Batches(progress) })
  defer { server.stop(graceMilliseconds: 0) }
  let client = try Client(server.address.port)
  client.say("GET / HTTP/1.0\r\n\r\n")
  #expect(progress.read(client) > Batch.size)
}
