public import TapedeckMocking

/// Why a mock server could not do what it was asked. Each text says what to do.
public enum FeatherError: Error, Equatable, Sendable, CustomStringConvertible {
  case isRunning(String)
  case badPort(Int)
  case portsTaken(host: String, ports: ClosedRange<Int>)
  case cannotListen(String)
  case badRoute(MockRouteError)
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
