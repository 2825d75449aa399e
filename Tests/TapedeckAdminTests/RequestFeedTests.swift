import TapedeckHTTP
import TapedeckSockets
import Testing

@testable import TapedeckAdmin
@testable import TapedeckProxy

/// The feed of requests: bounded in each event and in what it holds for a slow reader, which sees a gap.
@Suite struct RequestFeedTests {
  /// A client that takes as many writes as it is told, and notes the events.
  private final class Reader: ResponseSink {
    private(set) var events: [(name: String, id: Int?, data: JSONValue)] = []
    /// Writes until it has no room.
    var room: Int
    var onWrite: () -> Void = {}

    init(room: Int = .max) { self.room = room }

    func informational(_ head: HTTPResponseHead) {}
    func begin(_ head: HTTPResponseHead, framing: BodyFraming) {}

    func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
      for block in String(decoding: bytes, as: UTF8.self).components("\n\n") where !block.hasPrefix(":") {
        let lines = block.components("\n")
        func value(_ field: String) -> String? {
          lines.first { $0.hasPrefix("\(field): ") }.map { String($0.dropFirst(field.count + 2)) }
        }
        let data = try? JSONValue(parsing: Array((value("data") ?? "").utf8))
        events.append((value("event") ?? "", value("id").flatMap { Int($0) }, data ?? .null))
      }
      room -= 1
      onWrite()
      return room > 0 ? .more : .wait
    }

    func rest() {}
    func end(trailers: HTTPFields) {}
    func fail(_ response: HTTPResponse) {}
    func abort(_ end: ConnectionEnd) {}

    var numbers: [Int] {
      events.filter { $0.name == "requests" }.flatMap { $0.data.array ?? [] }.compactMap { $0["id"]?.int }
    }
    var missing: Int { events.filter { $0.name == "gap" }.reduce(0) { $0 + ($1.data["count"]?.int ?? 0) } }
  }

  private let proxy: ProxyServer
  private let loop: EventLoop

  init() throws {
    var configuration = ProxyConfiguration()
    configuration.listen = "127.0.0.1:0"
    configuration.mode = .none
    configuration.threads = 1
    configuration.requestLogBytes = 64 << 20
    proxy = try ProxyServer(configuration)
    loop = try EventLoop()
  }

  private func add(_ count: Int) {
    for number in 0..<count {
      proxy.sessions.standard.requestLog.append(
        RequestLogEntry(
          HTTPRequest(.get, "/\(number)"), .cassette, RequestLog.Arrival(), DecisionCollector().decisions,
          nil,
          .response(HTTPResponse(head: HTTPResponseHead(status: 200)), bodyBytes: 0)))
    }
  }

  private func feed(_ query: String = "") throws -> RequestFeed {
    let context = AdminContext(proxy: proxy, access: PageAccess(), loop: loop)
    let operation = try #require(AdminAPI.operations.first { $0.id == "follow-requests" })
    let request = HTTPRequest(.get, "/v1/events\(query)")
    return try RequestFeed(
      try AdminRequest(request, components: [:], operation: operation, context: context))
  }

  /// Runs the loop until the condition holds after a write.
  private func run(_ feed: RequestFeed, into reader: Reader, until condition: @escaping () -> Bool) {
    reader.onWrite = { [loop] in if condition() { loop.stop() } }
    feed.start(into: reader)
    if !condition() { loop.run() }
    feed.cancel()
  }

  @Test func `what the log holds comes in pieces, in order`() throws {
    defer { _ = try? proxy.stop(graceMilliseconds: 0) }
    add(2_500)
    let reader = Reader()
    run(try feed(), into: reader) { reader.numbers.count == 2_500 }
    let sizes = reader.events.filter { $0.name == "requests" }.map { $0.data.array?.count ?? 0 }
    #expect(sizes == [1_000, 1_000, 500])
    #expect(reader.numbers.elementsEqual(1...2_500) == true)
    #expect(reader.missing == 0)
    #expect(reader.events.last?.id == 2_500)
  }

  @Test func `a reader without room gets nothing until it has some`() throws {
    defer { _ = try? proxy.stop(graceMilliseconds: 0) }
    add(2_500)
    let reader = Reader(room: 1)
    let feed = try feed()
    var countWithoutRoom = 0
    // Some turns later.
    let timer = loop.makeTimer {
      countWithoutRoom = reader.numbers.count
      reader.room = .max
      feed.resume()
    }
    reader.onWrite = { [loop] in if reader.numbers.count == 2_500 { loop.stop() } }
    feed.start(into: reader)
    timer.set(MonotonicTime.now.adding(milliseconds: 200))
    loop.run()
    timer.cancel()
    #expect(countWithoutRoom == 1_000)
    #expect(reader.numbers.elementsEqual(1...2_500) == true)
    feed.cancel()
  }

  @Test func `what the log forgot meanwhile is a gap`() throws {
    defer { _ = try? proxy.stop(graceMilliseconds: 0) }
    add(10)
    proxy.sessions.standard.requestLog.clear()
    add(5)
    let reader = Reader()
    run(try feed(), into: reader) { reader.numbers.count == 5 }
    #expect(reader.numbers == Array(11...15))
    #expect(reader.missing == 10)
  }

  @Test(arguments: [("?after=3", [4, 5]), ("?after=99", [1, 2, 3, 4, 5]), ("", [1, 2, 3, 4, 5])])
  func `it goes on after an event of this run`(_ query: String, _ numbers: [Int]) throws {
    defer { _ = try? proxy.stop(graceMilliseconds: 0) }
    add(5)
    let reader = Reader()
    run(try feed(query), into: reader) { !reader.numbers.isEmpty }
    #expect(reader.numbers == numbers)
  }

  @Test(arguments: ["?after=-2", "?after=x", "?after=", "?after=1.5"])
  func `other ids are refused`(_ query: String) throws {
    defer { _ = try? proxy.stop(graceMilliseconds: 0) }
    #expect(throws: AdminProblem.self) { try feed(query) }
  }
}

extension String {
  /// The pieces between separators that are not empty.
  fileprivate func components(_ separator: String) -> [String] {
    var pieces: [String] = []
    var rest = self[...]
    while let range = rest.firstRange(of: separator) {
      pieces.append(String(rest[..<range.lowerBound]))
      rest = rest[range.upperBound...]
    }
    return (pieces + [String(rest)]).filter { !$0.isEmpty }
  }
}
