import TapedeckHTTP
import TapedeckSockets
import TapedeckUpstream
import Testing

/// A loop on the test's thread with a client for one scripted origin.
final class ClientHarness {
  let loop: EventLoop
  let client: UpstreamClient
  private var watchdog: LoopTimer?

  init(
    _ url: String, _ adjust: (inout UpstreamConfiguration) -> Void = { _ in }
  ) throws {
    var configuration = UpstreamConfiguration(origin: try UpstreamOrigin(url))
    adjust(&configuration)
    let loop = try EventLoop()
    self.loop = loop
    client = try UpstreamClient(configuration: configuration, loop: loop)
    watchdog = loop.makeTimer { [weak loop] in
      Issue.record("nothing happened for 20 s")
      loop?.stop()
    }
    watchdog?.set(MonotonicTime.now.adding(milliseconds: 20_000))
  }

  /// What still runs retains the client.
  deinit { client.shutDown() }

  convenience init(
    _ origin: ScriptedOrigin, prefix: String = "", _ adjust: (inout UpstreamConfiguration) -> Void = { _ in }
  ) throws {
    try self.init("http://127.0.0.1:\(origin.port)\(prefix)", adjust)
  }

  /// Asks one after the other, each when the one before is over.
  func inTurn(_ requests: [HTTPRequest], between: @escaping (Int) -> Void = { _ in }) -> [RecordingSink] {
    let sinks = requests.map { _ in RecordingSink() }
    for index in sinks.indices {
      sinks[index].onOver = { [self] in
        between(index)
        if index + 1 < sinks.count {
          client.fetch(requests[index + 1]).start(into: sinks[index + 1])
        } else {
          loop.stop()
        }
      }
    }
    client.fetch(requests[0]).start(into: sinks[0])
    loop.run()
    return sinks
  }

  func once(_ request: HTTPRequest) -> RecordingSink { inTurn([request])[0] }
}

/// The sink of one request to an origin that sends `text` and closes.
func response(
  _ text: String, to request: HTTPRequest = HTTPRequest(.get, "/"),
  _ adjust: (inout UpstreamConfiguration) -> Void = { _ in }
) throws -> RecordingSink {
  let origin = ScriptedOrigin { connection in
    connection.readRequest()
    connection.send(text)
  }
  defer { origin.stop() }
  return try ClientHarness(origin, adjust).once(request)
}

/// Fields from pairs.
func fields(_ pairs: (String, String)...) throws -> HTTPFields {
  var fields = HTTPFields()
  for (name, value) in pairs { try fields.append(name, value) }
  return fields
}
