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
  /// An upstream that a cassette holds cannot be used; the values are the cassette's path, and why.
  case badRecordedUpstream(String, String)
  /// The upstream is the address of the proxy itself.
  case upstreamIsOurselves(String)
  /// The listener cannot speak TLS as it was told; the value says why.
  case badTLS(String)
  /// A text that is neither a domain nor an address.
  case badDomain(String)
  /// The mode needs an upstream.
  case upstreamMissing(mode: String)
  /// The mode needs a cassette.
  case cassetteMissing(mode: String)
  /// There is no cassette at this path.
  case cassetteAbsent(String)
  /// There is a cassette at this path already.
  case cassetteThere(String)
  /// Another session, or the proxy itself where it is `nil`, is recording into the cassette at this path.
  case cassetteBusy(String, session: String?)
  /// There is a session of this name already.
  case sessionThere(String)
  /// The session has no cassette of its own that could be changed.
  case sessionWithoutCassette(String)
  /// Several responses are recorded for a request, and nothing says which of them is meant.
  case severalRecordings(Int)
  /// A text that is no name of a session.
  case badSessionName(String)
  /// There are as many sessions as there may be.
  case tooManySessions
  /// A pattern of a forward proxy that is no host.
  case badHostPattern(String)
  /// The credentials of a forward proxy are not `USER:PASSWORD`.
  case badCredentials
  /// A forward proxy that other machines reach would serve anyone, with any host.
  case openForwardProxy
  /// A request of this process came after the proxy was stopped.
  case stopped
  /// What was recorded is not in the cassette.
  case notSealed(String)

  public var description: String {
    switch self {
    case .badListenAddress(let text):
      "cannot listen on \(text.debugDescription): write HOST:PORT, like 127.0.0.1:8080, or unix:PATH"
    case .addressInUse(let address) where address.hasPrefix("unix:"):
      "cannot listen on \(address): the file is there, and no socket that was left behind; name another, or delete it"
    case .addressInUse(let address):
      "cannot listen on \(address): the port is taken; stop its holder, or pick another with --port N (0 finds a free one)"
    case .addressNotPermitted(let address):
      "cannot listen on \(address): no permission; ports below 1024 need root, so pick a higher one with --port N"
    case .cannotListen(let problem): "cannot listen: \(problem)"
    case .badUpstream(let problem): problem
    case .badRecordedUpstream(let path, let problem):
      "\(path)/cassette.json: an entry of `upstreams` cannot be used: \(problem)"
    case .upstreamIsOurselves(let url):
      "--upstream \(url) is the address we listen on ourselves; name the real origin, or listen elsewhere with --port N"
    case .badTLS(let problem): "cannot serve TLS: \(problem)"
    case .badDomain(let text):
      "\(text.debugDescription) is neither a domain, like example.com, nor an address"
    case .upstreamMissing(let mode): "mode \(mode) asks the origin, so it needs --upstream URL"
    case .cassetteMissing(let mode): "mode \(mode) needs --cassette NAME"
    case .cassetteAbsent(let path):
      "there is no cassette at \(path); record one with: tapedeck record --upstream URL --cassette \(path), "
        + "or with: tapedeck run --mode once --cassette \(path) -- COMMAND"
    case .cassetteThere(let path): "there is a cassette at \(path) already; name another, or delete it first"
    case .cassetteBusy(let path, let session):
      "\(session.map { "session \($0)" } ?? "the proxy") is recording into \(path); "
        + "wait until that ends, or name another cassette"
    case .sessionThere(let name):
      "there is a session \(name) already, and its cassette is chosen when it begins; end it first"
    case .sessionWithoutCassette(let name):
      "session \(name) uses the cassette of the proxy; end it, and begin it with a cassette of its own"
    case .severalRecordings(let count):
      "\(count) responses are recorded for this request; choose a request that got the one that is meant"
    case .badSessionName(let name):
      "\(name.prefix(200).debugDescription) is no name of a session: \(Session.nameRule)"
    case .tooManySessions: "there are too many sessions; drop some, or raise --max-sessions"
    case .badHostPattern(let text):
      "\(text.debugDescription) is not a host: write api.example.com, *.example.com or localhost:8443"
    case .badCredentials: "the credentials of the proxy are written USER:PASSWORD"
    case .openForwardProxy:
      "other machines can reach this address, and a forward proxy would open this machine's network to them; "
        + "say for which hosts with --allow-hosts, and to whom with --proxy-auth USER:PASSWORD"
    case .stopped: "the proxy has stopped"
    case .notSealed(let problem): "the cassette was not saved: \(problem)"
    }
  }
}
