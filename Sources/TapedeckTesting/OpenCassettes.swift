import Tapedeck
internal import TapedeckProxy

/// The proxies of the cassettes that tests use at the moment, one for each cassette.
///
/// A cassette has one writer at a time, so tests that record it at the same time share its proxy, and one that comes while
/// it is sealed waits. The tests of a process may follow each other: those that come after a cassette's first
/// recording add to it.
actor OpenCassettes {
  static let shared = OpenCassettes()

  /// How long exchanges get that a test has left unfinished.
  private static let graceMilliseconds = 1_000

  private var open: [String: (proxy: ProxyServer, users: Int)] = [:]
  private var closing: [String: Task<Void, any Error>] = [:]
  /// The cassettes that this process has recorded.
  private var recorded: Set<String> = []

  /// The proxy of a cassette, started where there is none. The first configuration counts.
  func take(_ cassette: TestCassette) async throws -> ProxyServer {
    let path = cassette.path
    while let task = closing[path] {
      _ = await task.result
      if closing[path] == task { closing[path] = nil }
    }
    if let (proxy, users) = open[path] {
      open[path] = (proxy, users + 1)
      return proxy
    }
    var configuration = try cassette.configuration()
    if configuration.mode == .once, recorded.contains(path) { configuration.mode = .newEpisodes }
    let proxy = try ProxyServer(configuration)
    if proxy.records { recorded.insert(path) }
    open[path] = (proxy, 1)
    return proxy
  }

  /// Stops the proxy after its last use; returns when what was recorded is sealed.
  func giveBack(_ path: String) async throws {
    guard let (proxy, users) = open[path] else { return }
    guard users == 1 else {
      open[path] = (proxy, users - 1)
      return
    }
    open[path] = nil
    let task = Task { try await proxy.shutDown(graceMilliseconds: Self.graceMilliseconds) }
    closing[path] = task
    let outcome = await task.result
    if closing[path] == task { closing[path] = nil }
    try outcome.get()
  }
}
