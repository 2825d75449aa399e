internal import Foundation
public import FoundationNetworking
internal import Synchronization

/// The protocol through which `URLSession` hands over its requests.
///
/// `URLSession.shared` knows it from the first `Router.register` on. Other sessions know it by their configuration:
/// `configuration.protocolClasses = [Server.self]`, or `Interception.current.intercept(configuration)` where tests run in
/// parallel.
public class Server: URLProtocol {
  private var loading: Loading?
  private var isStopped = false

  /// The interception for which a request starts.
  enum StartingInterception {
    case found(Interception)
    /// None, and why.
    case lost(String)
  }

  /// Whether the interception in force takes the request.
  override public class func canInit(with request: URLRequest) -> Bool {
    Interception.current.takes(request)
  }

  /// The interception of a request that this class has taken. This class cannot tell runs apart; where `protocolClasses`
  /// names those that can, they come before it.
  class func startingInterception(of request: URLRequest) -> StartingInterception {
    Interception.shared.takes(request)
      ? .found(.shared)
      : .lost(
        """
        its session does not tell runs of Interception apart: give its configuration to \
        Interception.current.intercept(_:), and run no more than \(InterceptionScope.count) at once
        """)
  }

  /// The request itself.
  override public class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  /// False: responses are not cached.
  override public class func requestIsCacheEquivalent(_ a: URLRequest, to b: URLRequest) -> Bool { false }

  /// Starts responding to the request.
  override public func startLoading() {
    let interception = type(of: self).startingInterception(of: request)
    guard !isStopped, loading == nil else { return }
    let loading = Loading(self)
    self.loading = loading
    loading.start(interception)
  }

  /// Stops: the client has left, or has its response.
  override public func stopLoading() {
    isStopped = true
    loading?.stop()
  }
}

/// Foundation on Linux asks registered protocols last, after its own, which take every HTTP request. Every session,
/// the shared one too, asks the protocols of its configuration first, so that is where these are put.
extension Server {
  static func enable() { _ = isEnabled }

  static func enableScopes() { _ = areScopesEnabled }

  private static let isEnabled: Bool = {
    _ = URLProtocol.registerClass(Server.self)
    putFirst([Server.self])
    return true
  }()

  private static let areScopesEnabled: Bool = {
    enable()
    putFirst(ScopedServers.makeClasses())
    return true
  }()

  private static func putFirst(_ classes: [Server.Type]) {
    let configuration = URLSession.shared.configuration
    let others = (configuration.protocolClasses ?? []).filter { other in
      !classes.contains { $0 == other }
    }
    configuration.protocolClasses = classes + others
  }
}

// MARK: - Numbered classes

/// A number as a type, written in binary, which tells apart classes that are made at run time.
protocol TypeNumber: SendableMetatype {
  static var number: Int { get }
}

enum Zero: TypeNumber {
  static var number: Int { 0 }
}

enum Even<Half: TypeNumber>: TypeNumber {
  static var number: Int { 2 * Half.number }
}

enum Odd<Half: TypeNumber>: TypeNumber {
  static var number: Int { 2 * Half.number + 1 }
}

/// The type of a number.
func typeNumber(_ number: Int) -> any TypeNumber.Type {
  func even<Half: TypeNumber>(_ half: Half.Type) -> any TypeNumber.Type { Even<Half>.self }
  func odd<Half: TypeNumber>(_ half: Half.Type) -> any TypeNumber.Type { Odd<Half>.self }
  if number == 0 { return Zero.self }
  return number.isMultiple(of: 2) ? even(typeNumber(number / 2)) : odd(typeNumber(number / 2))
}

/// Takes the requests of the run with its number.
final class ScopedServer<Number: TypeNumber>: Server {
  override class func canInit(with request: URLRequest) -> Bool {
    guard let scope = Interception.scope, scope.number == Number.number else { return false }
    return scope.interception.takes(request) && scope.mayStart()
  }

  override class func startingInterception(of request: URLRequest) -> StartingInterception {
    InterceptionScope.started(Number.number).map { .found($0) }
      ?? .lost("the scope of Interception.run in which this request was made is over")
  }
}

/// The classes of all numbers.
enum ScopedServers {
  static func makeClasses() -> [Server.Type] {
    func scoped<Number: TypeNumber>(_ number: Number.Type) -> Server.Type { ScopedServer<Number>.self }
    return (0..<InterceptionScope.count).map { scoped(typeNumber($0)) }
  }
}

/// Takes the requests of the sessions whose configuration names it, for one interception.
final class SessionServer<Number: TypeNumber>: Server {
  override class func canInit(with request: URLRequest) -> Bool {
    SessionServers.interception(Number.number)?.takes(request) ?? true
  }

  override class func startingInterception(of request: URLRequest) -> StartingInterception {
    SessionServers.interception(Number.number).map { .found($0) }
      ?? .lost("the Interception that this session was made for is gone; keep it as long as the session")
  }
}

/// The interception of each class. Numbers are not reused, because a session may outlive its interception.
enum SessionServers {
  private struct Entry { weak var interception: Interception? }

  private static let entries = Mutex<[Entry]>([])

  static func makeClass(for interception: Interception) -> Server.Type {
    func server<Number: TypeNumber>(_ number: Number.Type) -> Server.Type { SessionServer<Number>.self }
    let number = entries.withLock { entries in
      entries.append(Entry(interception: interception))
      return entries.count - 1
    }
    return server(typeNumber(number))
  }

  static func interception(_ number: Int) -> Interception? {
    entries.withLock { $0[number].interception }
  }
}
