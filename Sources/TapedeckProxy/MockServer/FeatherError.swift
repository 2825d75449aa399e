public import TapedeckMocking

/// Why a mock server could not do what it was asked. Each text says what to do.
public enum FeatherError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The server is running already, at this URL.
  case isRunning(String)
  /// A number that is not a port.
  case badPort(Int)
  /// Every port of the range is taken.
  case portsTaken(host: String, ports: ClosedRange<Int>)
  /// The address cannot be bound; the value says why.
  case cannotListen(String)
  /// A route cannot be served.
  case badRoute(MockRouteError)
  /// The cassette cannot be used; the value says why.
  case badCassette(String)

  public var description: String {
    switch self {
    case .isRunning(let url): "the mock server runs already, at \(url); pluck() it first"
    case .badPort(let port): "\(port) is no port: they go from 1 to 65535, and 0 lets the system choose"
    case .portsTaken(let host, let ports):
      ports.count == 1
        ? "the port \(ports.lowerBound) of \(host) is taken: stop its holder, or use port 0, which finds a free one"
        : "all ports of \(host) from \(ports.lowerBound) to \(ports.upperBound) are taken: give a larger range, "
          + "or port 0, which finds a free one"
    case .cannotListen(let problem): problem
    case .badRoute(let error): "\(error)"
    case .badCassette(let problem): problem
    }
  }
}
