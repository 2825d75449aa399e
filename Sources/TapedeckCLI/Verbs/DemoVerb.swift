internal import Glibc
internal import NewsFeed
internal import TapedeckHTTP
internal import TapedeckMocking
import TapedeckOverrides
internal import TapedeckProxy

extension Verb {
  static let demo = Verb(
    name: "demo", group: .more, summary: "a tour of everything, with an embedded news feed",
    synopsis: "", examples: ["tapedeck demo"]
  ) { arguments in
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
    try runCommand(in: folder)
    step("Done. To do the same with your own backend:")
    Terminal.out(
      """
        tapedeck run --cassette example -- npm test
        tapedeck record --upstream https://api.example.com --cassette example
        tapedeck replay --cassette example

      """)
    return .good
  }

  private static let latest = "api/users/0/newsfeed?page=1&size=1"

  private static func record(_ cassette: String) throws {
    step("1. A news feed starts, made of routes and a store, with tapedeck recording in front of it.")
    let backend = try proxy {
      $0.router = Router("/api")
      try NewsFeedBackend(scenario: "small").addRoutes(to: $0.router)
    }
    let recorder = try proxy { ($0.mode, $0.upstream, $0.cassette) = (.all, backend.baseURL, cassette) }
    curl("'\(recorder.baseURL)/\(latest)'")
    curl("\(json(#"{"text":"Hello"}"#)) \(recorder.baseURL)/api/post")
    curl("'\(recorder.baseURL)/\(latest)'")
    let summary = try recorder.stop()
    step(
      "2. The recorder stops; \(summary.recorded) exchanges are now files, one each, to be read in git:")
    Terminal.out(indented(shell("cd '\(cassette)' && ls && cat post-*.json")))
    step("3. The backend stops.")
    _ = try backend.stop()
    curl("'\(backend.baseURL)/\(latest)'")
  }

  private static func replay(_ cassette: String) throws {
    step("4. Replay, offline: the same responses, in the order they were recorded.")
    let player = try proxy { $0.cassette = cassette }
    curl("'\(player.baseURL)/\(latest)'")
    curl("'\(player.baseURL)/\(latest)'")
    step(
      "5. A request that was never recorded is refused; the response names the nearest recording and the differences."
    )
    curl("\(json(#"{"text":"Goodbye"}"#)) \(player.baseURL)/api/post")
    let summary = try player.stop()
    Terminal.out(
      "   \(summary.replayed) replayed, \(summary.unmatched) unmatched, "
        + "\(summary.upstreamConnections) upstream connections opened\n")
  }

  private static func override(_ cassette: String) throws {
    step(
      "6. One route comes before the recording: posts can no longer be written, everything else is as recorded."
    )
    let player = try proxy {
      $0.cassette = cassette
      $0.router.post("/api/post") { _ in Response(statusCode: 503, json: ["error": "maintenance"]) }
    }
    curl("\(json(#"{"text":"Hello"}"#)) \(player.baseURL)/api/post")
    curl("'\(player.baseURL)/\(latest)'")
    _ = try player.stop()
  }

  /// A command that knows nothing of us, and an https origin that is gone when it runs again.
  private static func runCommand(in folder: String) throws {
    step(
      "7. The news feed starts once more, over HTTPS. A command calls it by its name; tapedeck run records that."
    )
    let backend = try proxy {
      $0.router = Router("/api")
      try NewsFeedBackend(scenario: "small").addRoutes(to: $0.router)
      $0.authority = try AuthorityPEM()
    }
    let authority = "\(folder)/news.pem"
    try OutputFile.write(Array((backend.authorityCertificate ?? "").utf8), to: authority)
    let port = backend.baseURL.split(separator: ":").last ?? ""
    let client = "curl -sS 'https://news.test:\(port)/\(latest)'"
    let reaching = "--cacert \(authority) --resolve news.test:\(port):127.0.0.1"
    tapedeck("run --mode once --cassette \(folder)/any \(reaching) -- \(client)")
    _ = try backend.stop()
    step("8. The news feed stops. The same command gets the same response, from the cassette.")
    tapedeck("run --mode once --cassette \(folder)/any -- \(client)")
    step("9. The same without proxy variables, where no other network is, if the kernel permits that.")
    tapedeck("run --isolate --mode none --cassette \(folder)/any -- \(client)")
  }

  /// Runs this program with other words, and prints its command line and output.
  private static func tapedeck(_ words: String) {
    Terminal.out("   $ tapedeck \(words)\n")
    Terminal.out(indented(shell("/proc/$PPID/exe \(words) 2>&1")))
  }

  /// Starts a proxy on a free port.
  private static func proxy(_ configure: (inout ProxyConfiguration) throws -> Void) throws -> ProxyServer {
    var configuration = ProxyConfiguration()
    configuration.listen = "127.0.0.1:0"
    try configure(&configuration)
    return try ProxyServer(configuration)
  }

  /// The words that make curl send a body.
  private static func json(_ text: String) -> String { "-H 'Content-Type: application/json' -d '\(text)'" }

  private static func step(_ text: String) { Terminal.out("\n\(text)\n") }

  /// Runs curl and prints its command line and output.
  private static func curl(_ words: String) {
    Terminal.out("   $ curl \(words)\n")
    Terminal.out(indented(shell("curl -sS -i --noproxy '*' --max-time 10 \(words) 2>&1 | tr -d '\\r'")))
  }

  private static func indented(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "     \($0)" }
      .joined(separator: "\n") + (text.hasSuffix("\n") ? "" : "\n")
  }

  /// The output of a shell command.
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
      throw Failure(errno: "cannot make a temporary folder")
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

extension Verb {
  static let schema = Verb(
    name: "schema", group: .more, summary: "print the JSON schema of overrides files",
    synopsis: "overrides", examples: ["tapedeck schema overrides > overrides.schema.json"],
    notes: """
      Editors that know JSON schemas complete and check a file that names it: {"$schema": "./overrides.schema.json", …}.
      tapedeck lint FILE checks a file without an editor, and finds more.
      """, choices: ["overrides"]
  ) { arguments in
    let word = try arguments.words("name of the schema", required: 0).first ?? "overrides"
    guard word == "overrides" else {
      throw UsageError("there is no schema \(word.debugDescription); the only one is overrides")
    }
    Terminal.out(json: Overrides.schema)
    return .good
  }
}
