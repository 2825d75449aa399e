public import FoundationNetworking

/// The protocol by which `URLSession` hands requests over.
///
/// `URLSession.shared` knows it from the first `Router.register` on. A session of one's own knows it by its
/// configuration: `configuration.protocolClasses = [Server.self]`, or `Interception.current.intercept(configuration)`
/// where tests run side by side.
public class Server: URLProtocol {
  private var loading: Loading?
  private var isStopped = false

  /// For whom a request starts.
  enum StartingInterception {
    case found(Interception)
    /// For nobody, and why.
    case lost(String)
  }

  override public class func canInit(with request: URLRequest) -> Bool {
    Interception.current.takes(request)
  }

  /// For whom a request starts that this class has taken. It alone can not tell runs apart: in the lists that can, the
  /// classes of the runs stand before it.
  class func startingInterception(of request: URLRequest) -> StartingInterception {
    Interception.shared.takes(request)
      ? .found(.shared)
      : .lost(
        """
        its session does not tell runs of Interception apart: give its configuration to \
        Interception.current.intercept(_:), and run no more than \(InterceptionScope.count) at once
        """)
  }

  override public class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override public class func requestIsCacheEquivalent(_ a: URLRequest, to b: URLRequest) -> Bool { false }

  override public func startLoading() {
    let interception = type(of: self).startingInterception(of: request)
    guard !isStopped, loading == nil else { return }
    let loading = Loading(self)
    self.loading = loading
    loading.start(interception)
  }

  /// The client has left, or has its answer.
  override public func stopLoading() {
    isStopped = true
    loading?.stop()
  }
}
