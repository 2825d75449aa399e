internal import TapedeckAdmin
internal import TapedeckProxy

/// What serves tests that share a proxy, and those who steer it.
extension Option {
  static let adminPort = Option(
    name: "--admin-port", value: "N", help: "serve the admin API on 127.0.0.1:N; 0 picks a free port")
  static let adminToken = Option(
    name: "--admin-token", value: "TOKEN",
    help: "its token; without this, TAPEDECK_ADMIN_TOKEN, or a random one in a file that only you can read")
  static let adminTokenFile = Option(
    name: "--admin-token-file", value: "PATH", help: "where the admin token is written, for tapedeck ctl")
  static let adminReadyFile = Option(
    name: "--admin-ready-file", value: "PATH", help: "write the admin API's URL there once it listens")
  static let sessionHeader = Option(
    name: "--session-header", value: "NAME", help: "the header whose value names a request's session")
  static let sessionPath = Option(
    name: "--session-path", value: "PREFIX",
    help: "the path before a session's name: /session makes /session/NAME/users a request for /users")
  static let sessionUser = Option(
    name: "--session-user", help: "the user of Proxy-Authorization names a request's session")
  static let sessionIdle = Option(
    name: "--session-idle", value: "SECONDS", help: "until a session without requests is dropped (600)")
  static let maxSessions = Option(name: "--max-sessions", value: "N", help: "sessions at once (10000)")
  static let journal = Option(
    name: "--journal", value: "MIB",
    help: "memory for the journal of requests (16 with --admin-port, else 0)")

  static let steering: [Option] = [
    .adminPort, .adminToken, .adminTokenFile, .adminReadyFile, .sessionHeader, .sessionPath, .sessionUser,
    .sessionIdle, .maxSessions, .journal,
  ]
}

/// How a proxy is to be steered.
struct AdminSettings {
  let port: Int
  /// As it was given; nil for a random one.
  let token: AdminToken?
  let tokenFile: String?
  let readyFile: String?

  /// Nil where nobody steers.
  init?(_ arguments: Arguments) throws(UsageError) {
    guard let port = try arguments.number(.adminPort, in: 0...65535) else {
      for option in [Option.adminToken, .adminTokenFile, .adminReadyFile] where arguments.has(option) {
        throw UsageError("\(option.name) needs --admin-port")
      }
      return nil
    }
    self.port = port
    tokenFile = arguments[.adminTokenFile]
    readyFile = arguments[.adminReadyFile]
    do throws(AdminError) {
      let text = arguments[.adminToken] ?? Terminal.environment("TAPEDECK_ADMIN_TOKEN")
      token = try text.map { text throws(AdminError) in try AdminToken(text) }
    } catch {
      throw UsageError("\(error)")
    }
  }
}

extension ServeSettings {
  mutating func readSteering(_ arguments: Arguments) throws(UsageError) {
    admin = try AdminSettings(arguments)
    let given = [Option.sessionHeader, .sessionPath, .sessionUser].filter(arguments.has)
    if given.count > 1 {
      throw UsageError("\(given[0].name) and \(given[1].name) exclude each other")
    }
    if let name = arguments[.sessionHeader] {
      guard Self.isToken(name) else { throw UsageError("--session-header takes the name of a header field") }
      proxy.sessionSelector = .header(name)
    } else if let prefix = arguments[.sessionPath] {
      guard prefix.hasPrefix("/"), !prefix.hasSuffix("/"), !prefix.contains("?") else {
        throw UsageError("--session-path takes a path like /session")
      }
      proxy.sessionSelector = .path(prefix)
    } else if arguments.has(.sessionUser) {
      proxy.sessionSelector = .proxyUser
    }
    if let time = try arguments.milliseconds(.sessionIdle) { proxy.sessionIdleMilliseconds = time }
    if let count = try arguments.number(.maxSessions, in: 1...1_000_000) { proxy.maxSessions = count }
    let mebibytes = try arguments.number(.journal, in: 0...65536) ?? (admin == nil ? 0 : 16)
    proxy.journalBytes = mebibytes << 20
  }

  private static func isToken(_ name: String) -> Bool {
    !name.isEmpty
      && name.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) && byte < 0x80
          || "!#$%&'*+-.^_`|~".utf8.contains(byte)
      }
  }
}
