internal import Glibc
public import TapedeckHTTP
public import TapedeckSockets

/// Sends requests to one origin, for one event loop. Never follows a redirect, and never repeats a request that must not
/// be repeated. Belongs to the loop's thread.
public final class UpstreamClient {
  let pool: ConnectionPool

  /// libcurl's version with its TLS library.
  public static var libcurlVersion: String { CurlLibrary.version }

  /// Makes a client for `loop`. Throws when libcurl cannot be used or the CA file cannot be read.
  public init(configuration: UpstreamConfiguration, loop: EventLoop) throws(UpstreamError) {
    if let path = configuration.caCertificatePath, access(path, R_OK) != 0 {
      throw .certificatesUnreadable(path: path, reason: String(cString: strerror(errno)))
    }
    pool = try ConnectionPool(configuration, loop)
  }

  /// How many sockets have been opened to the origin.
  public var connectionsOpened: Int { pool.connector.openedCount }
  /// How many exchanges have a connection.
  public var activeCount: Int { pool.activeCount }

  /// An exchange that begins with `start(into:)`.
  public func fetch(_ request: HTTPRequest) -> UpstreamExchange { UpstreamExchange(request, pool: pool) }

  /// Fails what still runs and closes every connection. The client cannot be used again.
  public func shutDown() { pool.shutDown() }
}

/// Why no upstream client could be made.
public enum UpstreamError: Error, Equatable, Sendable {
  case libcurlFailed(reason: String)
  case certificatesUnreadable(path: String, reason: String)
}

extension UpstreamError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .libcurlFailed(let reason):
      "libcurl could not be started: \(reason); Debian and Ubuntu have it in the package libcurl4"
    case .certificatesUnreadable(let path, let reason):
      "the certificate file \(path) cannot be read: \(reason)"
    }
  }
}
