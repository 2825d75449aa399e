internal import Glibc
internal import TapedeckSockets

/// One descriptor that libcurl waits on, or keeps for later.
final class CurlSocket: EventHandler {
  let descriptor: Int32
  /// Whether it is a connection of ours and not a pipe of libcurl's resolver.
  let isConnection: Bool
  /// What the loop waits for.
  var interest: Interest = []
  var registration: EventLoop.Registration?
  /// Whether libcurl waits for it at the moment.
  var isWanted = false
  /// Whether no transfer uses it, so that nothing may arrive on it.
  var isIdle: Bool { idlePlace != nil }
  /// The easy handle that waited for it last.
  var user: UnsafeMutableRawPointer?
  /// Where it stands among the idle ones.
  var idlePlace: Int?
  var isClosed = false
  /// What tells a connection that libcurl takes from those it kept; known once it was kept.
  lazy var localPort = Self.localPort(of: descriptor)
  private unowned let table: CurlSocketTable

  init(_ descriptor: Int32, isConnection: Bool, table: CurlSocketTable) {
    self.descriptor = descriptor
    self.isConnection = isConnection
    self.table = table
  }

  func descriptorReady(_ readiness: Readiness) { table.ready(self, readiness) }

  private static func localPort(of descriptor: Int32) -> Int32 {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutableBytes(of: &storage) { bytes in
      getsockname(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
    }
    // The port stands in the same place in sockaddr_in and sockaddr_in6.
    let port = withUnsafeBytes(of: storage) { UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) }
    return result == 0 ? Int32(port) : -1
  }
}
