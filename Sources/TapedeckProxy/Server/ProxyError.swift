/// Why a proxy could not start. Each text says what is wrong, with what, and what to do.
public enum ProxyError: Error, Equatable, Sendable, CustomStringConvertible {
  /// A text that is not `HOST:PORT`.
  case badListenAddress(String)
  /// The port of this address is taken.
  case addressInUse(String)
  /// The process may not listen on this address.
  case addressNotPermitted(String)
  /// The address cannot be bound; the value says why.
  case cannotListen(String)
  /// The upstream is not a usable URL; the value says why.
  case badUpstream(String)
  /// The upstream is the address of the proxy itself.
  case upstreamIsOurselves(String)
  /// The mode needs an upstream.
  case upstreamMissing(mode: String)
  /// The mode needs a cassette.
  case cassetteMissing(mode: String)
  /// There is no cassette at this path.
  case cassetteAbsent(String)
  /// There is a cassette at this path already.
  case cassetteThere(String)

  public var description: String {
    switch self {
    case .badListenAddress(let text):
      "cannot listen on \(text.debugDescription): write HOST:PORT, like 127.0.0.1:8080"
    case .addressInUse(let address):
      "cannot listen on \(address): the port is taken; stop its holder, or pick another with --port N (0 finds a free one)"
    case .addressNotPermitted(let address):
      "cannot listen on \(address): no permission; ports below 1024 need root, so pick a higher one with --port N"
    case .cannotListen(let problem): "cannot listen: \(problem)"
    case .badUpstream(let problem): problem
    case .upstreamIsOurselves(let url):
      "--upstream \(url) is the address we listen on ourselves; name the real origin, or listen elsewhere with --port N"
    case .upstreamMissing(let mode): "mode \(mode) asks the origin, so it needs --upstream URL"
    case .cassetteMissing(let mode): "mode \(mode) needs --cassette NAME"
    case .cassetteAbsent(let path):
      "there is no cassette at \(path); record one with: tapedeck record --upstream URL --cassette \(path)"
    case .cassetteThere(let path): "there is a cassette at \(path) already; name another, or delete it first"
    }
  }
}
