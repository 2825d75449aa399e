internal import Glibc
internal import NewsFeed
internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckProxy

extension Verb {
  static let demo = Verb(
    name: "demo", group: .more, summary: "see everything at work, on an embedded news feed",
    synopsis: "",
    examples: ["tapedeck demo"], run: DemoVerb.run)
}

/// The main job, step by step, on Kakapo's example backend and with curl as the client.
enum DemoVerb {
  private static let latest = "api/users/0/newsfeed?page=1&size=1"

  static func run(_ arguments: Arguments) throws -> ExitCode {
    _ = try arguments.words(required: 0)
    guard shell("command -v curl") != "" else {
      throw Failure("the demo's client is curl; install it: apt-get install curl")
    }
    let folder = try temporaryFolder()
    defer { _ = shell("rm -rf '\(folder)'") }
    let cassette = "\(folder)/newsfeed"
    try record(cassette)
    try replay(cassette)
    try override(cassette)
    step("Done. The same with your own backend:")
    Terminal.out(
      """
        tapedeck record --upstream https://api.example.com --cassette example
        tapedeck replay --cassette example

      """)
    return .good
  }

  // MARK: Steps

  private static func record(_ cassette: String) throws {
    step("1. A news feed starts, made of routes and a store, and tapedeck in front of it, recording.")
    var feed = quiet()
    feed.router = Router("/api")
    try NewsFeedBackend(scenario: "small").addRoutes(to: feed.router)
    let backend = try ProxyServer(feed)
    var configuration = quiet()
    configuration.mode = .all
    configuration.upstream = backend.baseURL
    configuration.cassette = cassette
    let recorder = try ProxyServer(configuration)
    curl("'\(recorder.baseURL)/\(latest)'")
    curl("\(json(#"{"text":"Hello"}"#)) \(recorder.baseURL)/api/post")
    curl("'\(recorder.baseURL)/\(latest)'")
    let summary = try recorder.stop()
    step(
      "2. The recorder stops; \(summary.recorded) exchanges are now files, one each, made to be read in git:")
    Terminal.out(indented(shell("cd '\(cassette)' && ls && cat post-*.json")))
    step("3. The backend stops.")
    _ = try backend.stop()
    curl("'\(backend.baseURL)/\(latest)'")
  }

  private static func replay(_ cassette: String) throws {
    step("4. Replay, offline: the same answers; the feed gives its two in the order they were recorded.")
    var configuration = quiet()
    configuration.cassette = cassette
    let player = try ProxyServer(configuration)
    curl("'\(player.baseURL)/\(latest)'")
    curl("'\(player.baseURL)/\(latest)'")
    step(
      "5. A request that was never recorded is refused, and the answer says what is nearest and what differs."
    )
    curl("\(json(#"{"text":"Goodbye"}"#)) \(player.baseURL)/api/post")
    let summary = try player.stop()
    Terminal.out(
      "   \(summary.replayed) replayed, \(summary.unmatched) unmatched, "
        + "\(summary.upstreamConnections) upstream connections opened\n")
  }

  private static func override(_ cassette: String) throws {
    step(
      "6. One route goes before the recording: a post can no longer be written, everything else is as recorded."
    )
    var configuration = quiet()
    configuration.cassette = cassette
    configuration.router.post("/api/post") { _ in
      Response(statusCode: 503, json: ["error": "maintenance"])
    }
    let player = try ProxyServer(configuration)
    curl("\(json(#"{"text":"Hello"}"#)) \(player.baseURL)/api/post")
    curl("'\(player.baseURL)/\(latest)'")
    _ = try player.stop()
  }

  private static func quiet() -> ProxyConfiguration {
    var configuration = ProxyConfiguration()
    configuration.listen = "127.0.0.1:0"
    return configuration
  }

  // MARK: Showing

  /// A body, as curl takes it.
  private static func json(_ text: String) -> String { "-H 'Content-Type: application/json' -d '\(text)'" }

  private static func step(_ text: String) { Terminal.out("\n\(text)\n") }

  /// Runs curl for real and shows what was typed and what came.
  private static func curl(_ words: String) {
    Terminal.out("   $ curl \(words)\n")
    Terminal.out(indented(shell("curl -sS -i --noproxy '*' --max-time 10 \(words) 2>&1 | tr -d '\\r'")))
  }

  private static func indented(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "     \($0)" }
      .joined(separator: "\n") + (text.hasSuffix("\n") ? "" : "\n")
  }

  /// What a shell command prints.
  private static func shell(_ command: String) -> String {
    guard let pipe = popen(command, "r") else { return "" }
    defer { pclose(pipe) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = fread(&buffer, 1, buffer.count, pipe)
      if count == 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }

  private static func temporaryFolder() throws(Failure) -> String {
    var template = Array("\(Terminal.environment("TMPDIR") ?? "/tmp")/tapedeck-demo-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw Failure("cannot make a temporary folder: \(String(cString: strerror(errno)))")
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
