internal import TapedeckHTTP

/// Where the admin API of a running proxy is: `--admin-port N` or `--admin-url URL`.
struct AdminAddress {
  /// Without a path.
  let url: String
  let port: Int
  /// A PEM file of the authorities to trust; `nil` for the system's.
  let caCertificate: String?

  /// - Parameter verb: that of the command, for messages.
  init(_ arguments: Arguments, verb: String) throws {
    let port = try arguments.number(.runningAdminPort, in: 1...65535)
    // What stands on the command line outranks the other in the environment.
    if let text = arguments[.adminURL], port == nil || arguments.isGiven(.adminURL) {
      guard !arguments.isGiven(.runningAdminPort) else {
        throw UsageError("--admin-url and --admin-port exclude each other")
      }
      (url, self.port) = try Self.read(text, as: arguments.name(.adminURL))
    } else if let port {
      (url, self.port) = ("http://127.0.0.1:\(port)", port)
    } else {
      throw UsageError("\(verb) needs --admin-port N, the port of the admin API, or --admin-url URL")
    }
    let stored = url.hasPrefix("https:") ? try? AuthorityFolder() : nil
    caCertificate = arguments[.caCertificate] ?? stored.flatMap { $0.isThere ? $0.certificatePath : nil }
  }

  /// Reads a URL with or without the `/v1` that the proxy prints.
  private static func read(_ text: String, as name: String) throws(UsageError) -> (String, Int) {
    var rest = text[...]
    for end in ["/", "/v1"] where rest.hasSuffix(end) { rest.removeLast(end.count) }
    guard let origin = HTTPOrigin(String(rest)) else {
      throw UsageError(
        "\(name) takes a URL like https://tapedeck.internal:9090, not \(text.debugDescription)")
    }
    return (origin.description, Int(origin.port))
  }
}
