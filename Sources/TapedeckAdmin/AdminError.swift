/// Why a proxy cannot be steered. Each text says what to do.
public enum AdminError: Error, Equatable, Sendable, CustomStringConvertible {
  case badToken
  case cannotListen(port: Int, problem: String)
  case upstreamIsAdmin(String)
  case tokenFile(path: String, problem: String)

  public var description: String {
    switch self {
    case .badToken:
      "the admin token must be 16 to 256 visible ASCII characters; without one, a random one is made"
    case .cannotListen(let port, let problem):
      "cannot listen on admin port \(port): \(problem); pick another with --admin-port N (0 finds a free one)"
    case .upstreamIsAdmin(let url):
      "--upstream \(url) is the address of our own admin API; name the real origin, or pick another --admin-port"
    case .tokenFile(let path, let problem): "cannot write the admin token to \(path): \(problem)"
    }
  }
}
