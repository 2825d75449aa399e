/// Why a proxy could not start. Each text says what is wrong, with what, and what to do.
public enum ProxyError: Error, Equatable, Sendable, CustomStringConvertible {
  case badListenAddress(String)
  case addressInUse(String)
  case addressNotPermitted(String)
  case cannotListen(String)
  case badUpstream(String)
  case upstreamIsOurselves(String)
  case upstreamMissing(mode: String)
  case cassetteMissing(mode: String)
  case cassetteAbsent(String)
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
