internal import TapedeckHTTP
import TapedeckOverrides
internal import TapedeckProxy
internal import TapedeckSockets

/// The requests of all sessions and the state of the proxy, as server-sent events.
///
/// Nothing is held for the client but its place: every turn reads from the request logs what came after it. A client
/// that reads slowly, or was away for a while, gets what the logs still hold, and the count of what is missing. The
/// threads that serve requests do not know whether anyone follows.
final class RequestFeed: ResponseSource {
  private static let turnMilliseconds = 50
  /// In one event.
  private static let maximumRequests = 1000
  /// A client that is further behind misses what is older, so that it sees what happens now.
  private static let maximumBacklog = 50_000
  private static let aliveMilliseconds = 15_000

  private let context: AdminContext
  /// The id of the last request that was sent, or is missing.
  private var place: Int
  private var state: FollowedState?
  private var sink: (any ResponseSink)?
  private var timer: LoopTimer?
  private var isSinkFull = false
  private var lastWrite = MonotonicTime.now

  private var proxy: ProxyServer { context.proxy }

  init(_ request: AdminRequest) throws(AdminProblem) {
    context = request.context
    let last = context.proxy.lastRequestID
    let text = request.lastEventID ?? request.query["after"]
    guard let text else {
      place = 0
      return
    }
    guard let after = Int(text), after >= -1 else {
      throw AdminProblem(400, "must be the id of an event, or -1", place: "after")
    }
    // An id of an earlier run is none of this one.
    place = after == -1 ? last : after > last ? 0 : after
  }

  func start(into sink: any ResponseSink) {
    self.sink = sink
    var head = HTTPResponseHead(status: 200)
    head.fields.append(literal: "Content-Type", "text/event-stream")
    head.preventCaching()
    sink.begin(head, framing: .chunked)
    timer = context.loop.makeTimer { [weak self] in self?.send() }
    send()
  }

  func resume() {
    isSinkFull = false
    timer?.set(context.loop.now)
  }

  func cancel() {
    timer?.cancel()
    sink = nil
  }

  private func send() {
    guard let sink else { return }
    guard !context.access.isOver else {
      cancel()
      return sink.end(trailers: HTTPFields())
    }
    let isBehind = isSinkFull ? false : writeEvents()
    guard self.sink != nil else { return }
    // What is behind catches up at once, other clients of the loop in between.
    timer?.set(MonotonicTime.now.adding(milliseconds: isBehind ? 1 : Self.turnMilliseconds))
  }

  /// - Returns: whether there is more to send.
  private func writeEvents() -> Bool {
    var text: [UInt8] = []
    let state = FollowedState(proxy)
    if state != self.state {
      self.state = state
      text += Self.event("state", state.json(proxy))
    }
    let last = proxy.lastRequestID
    let before = place
    place = max(place, last - Self.maximumBacklog)
    let found = proxy.requests(after: place, through: last, limit: Self.maximumRequests)
    let isBehind = found.count == Self.maximumRequests
    place = isBehind ? found.last?.entry.id ?? last : last
    let missing = place - before - found.count
    // Without the id of the requests that follow, which a client would then not ask for again.
    if missing > 0 {
      text += Self.event("gap", ["count": JSONValue(missing)], id: found.isEmpty ? place : nil)
    }
    if !found.isEmpty {
      let list = found.map { $0.entry.followed(proxy, $0.session) }
      text += Self.event("requests", .array(list), id: place)
    }
    if text.isEmpty, MonotonicTime.now >= lastWrite.adding(milliseconds: Self.aliveMilliseconds) {
      text = Array(": alive\n\n".utf8)
    }
    if !text.isEmpty { write(text) }
    return isBehind && !isSinkFull
  }

  private func write(_ text: [UInt8]) {
    lastWrite = .now
    switch text.withUnsafeBytes({ sink?.write($0, endsChunk: true) }) {
    case .more: break
    case .wait: isSinkFull = true
    case .gone, nil: cancel()
    }
  }

  /// JSON of one line has no line break that could end the event.
  private static func event(_ name: String, _ data: JSONValue, id: Int? = nil) -> [UInt8] {
    let id = id.map { "id: \($0)\n" } ?? ""
    return Array("\(id)event: \(name)\ndata: ".utf8) + data.bytes() + Array("\n\n".utf8)
  }
}

/// What of the proxy's state a feed tells of when it changes.
private struct FollowedState: Equatable {
  private let mode: String
  private let cassette: String?
  private let sessions: [String]
  private let overridesVersion: Int

  init(_ proxy: ProxyServer) {
    mode = proxy.mode.rawValue
    cassette = proxy.cassettePath
    let all = proxy.sessions.all
    sessions = all.compactMap(\.name)
    overridesVersion = ([proxy.sessions.standard] + all).reduce(0) { $0 + $1.overrides.version }
  }

  func json(_ proxy: ProxyServer) -> JSONValue {
    let members = proxy.stateJSON.members ?? []
    return .object(
      members + [
        JSONMember("overridesVersion", JSONValue(overridesVersion)),
        JSONMember("sessionNames", .array(sessions.map { JSONValue($0) })),
        JSONMember("matching", .array(proxy.matchItems.map { JSONValue($0) })),
      ])
  }
}
