internal import Foundation
public import FoundationNetworking
internal import Synchronization

/// The protocol that serves the requests of `URLSession`.
///
/// `URLSession.shared` uses it from the first `Router.register` on. Other sessions name it in their
/// configuration: `configuration.protocolClasses = [Server.self]`, or
/// `Interception.current.intercept(configuration)` when tests run in parallel.
public class Server: URLProtocol {
  private var loading: Loading?
  private var isStopped = false

  /// Whether the current interception handles the request.
  override public class func canInit(with request: URLRequest) -> Bool {
    Interception.current.takes(request)
  }

  /// The interception of a request that this class accepted. This class cannot tell runs apart; those that
  /// can come before it in `protocolClasses`.
  class func startingInterception(of request: URLRequest) -> Result<Interception, URLError> {
    if Interception.shared.takes(request) { return .success(.shared) }
    let reason = """
      its session does not tell runs of Interception apart: give its configuration to \
      Interception.current.intercept(_:), and run no more than \(InterceptionScope.count) at once
      """
    return .failure(.unserved(request, reason))
  }

  /// Returns the request unchanged.
  override public class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  /// Returns false, because responses are not cached.
  override public class func requestIsCacheEquivalent(_ a: URLRequest, to b: URLRequest) -> Bool { false }

  /// Starts serving the request.
  override public func startLoading() {
    let interception = type(of: self).startingInterception(of: request)
    guard !isStopped, loading == nil else { return }
    let loading = Loading(self)
    self.loading = loading
    loading.start(interception)
  }

  /// Stops, because the client has cancelled or has its response.
  override public func stopLoading() {
    isStopped = true
    loading?.stop()
  }
}

/// On Linux, Foundation tries registered protocols last, after its own, which accept every HTTP request.
/// Every session, even the shared one, tries the protocols of its configuration first, so these classes are
/// added there.
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
    func scoped<Number: TypeNumber>(_ number: Number.Type) -> Server.Type { ScopedServer<Number>.self }
    putFirst((0..<InterceptionScope.count).map { scoped(typeNumber($0)) })
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

/// A number as a type, written in binary, to distinguish classes that are created at run time.
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

func typeNumber(_ number: Int) -> any TypeNumber.Type {
  func even<Half: TypeNumber>(_ half: Half.Type) -> any TypeNumber.Type { Even<Half>.self }
  func odd<Half: TypeNumber>(_ half: Half.Type) -> any TypeNumber.Type { Odd<Half>.self }
  if number == 0 { return Zero.self }
  return number.isMultiple(of: 2) ? even(typeNumber(number / 2)) : odd(typeNumber(number / 2))
}

/// Accepts the requests of the run with its number.
final class ScopedServer<Number: TypeNumber>: Server {
  override class func canInit(with request: URLRequest) -> Bool {
    guard let scope = Interception.scope, scope.number == Number.number else { return false }
    return scope.interception.takes(request) && scope.mayStart()
  }

  override class func startingInterception(of request: URLRequest) -> Result<Interception, URLError> {
    InterceptionScope.started(Number.number).map { .success($0) }
      ?? .failure(
        .unserved(request, "the scope of Interception.run in which this request was made is over"))
  }
}

/// Accepts, for one interception, the requests of the sessions whose configuration names it.
final class SessionServer<Number: TypeNumber>: Server {
  override class func canInit(with request: URLRequest) -> Bool {
    Interception.tied(to: Number.number)?.takes(request) ?? true
  }

  override class func startingInterception(of request: URLRequest) -> Result<Interception, URLError> {
    Interception.tied(to: Number.number).map { .success($0) }
      ?? .failure(
        .unserved(
          request, "the Interception that this session was made for is gone; keep it as long as the session"))
  }
}

extension Interception {
  private struct Tied { weak var interception: Interception? }

  /// The interception of each class. Numbers are not reused, because a session may outlive its interception.
  private static let tied = Mutex<[Tied]>([])

  func makeServerClass() -> Server.Type {
    func server<Number: TypeNumber>(_ number: Number.Type) -> Server.Type { SessionServer<Number>.self }
    let number = Self.tied.withLock { tied in
      tied.append(Tied(interception: self))
      return tied.count - 1
    }
    return server(typeNumber(number))
  }

  static func tied(to number: Int) -> Interception? { tied.withLock { $0[number].interception } }
}
