internal import CCurl
internal import Glibc
internal import TapedeckSockets

/// The descriptors on which libcurl waits while it connects, and those that were taken over from it.
final class CurlSocketTable {
  private let loop: EventLoop
  private var waiting: [Int32: EventLoop.Registration] = [:]
  /// Who uses the connections that libcurl made, by descriptor.
  private(set) var taken: [Int32: CurlHandle] = [:]
  /// How many sockets were opened so far.
  private(set) var openedCount = 0
  var onOpened: () -> Void = {}
  /// Hands an event on to libcurl.
  var onReady: (Int32, Int32) -> Void = { _, _ in }

  init(loop: EventLoop) { self.loop = loop }

  deinit { for registration in waiting.values { loop.remove(registration) } }

  func open(_ address: curl_sockaddr) -> Int32 {
    let kind = address.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.family, kind, address.protocol)
    guard descriptor >= 0 else { return -1 }
    openedCount += 1
    onOpened()
    return descriptor
  }

  /// Closes a socket for libcurl. A taken one is closed only when `giveBack` came first; if libcurl should ever close
  /// another, its user hears of it while the number is still its own.
  func close(_ descriptor: Int32) {
    release(descriptor)
    taken.removeValue(forKey: descriptor)?.loses()
    Glibc.close(descriptor)
  }

  /// Makes `descriptor` the connection of `handle`.
  func take(_ descriptor: Int32, for handle: CurlHandle) {
    release(descriptor)
    taken[descriptor] = handle
  }

  /// Leaves `descriptor` to libcurl again.
  func giveBack(_ descriptor: Int32) { taken[descriptor] = nil }

  /// libcurl's wish for `descriptor`: CURL_POLL_IN, OUT, INOUT or REMOVE.
  func wait(_ descriptor: Int32, for what: Int32) {
    guard what != CURL_POLL_REMOVE else { return release(descriptor) }
    var interest: Interest = []
    if what & CURL_POLL_IN != 0 { interest.insert(.read) }
    if what & CURL_POLL_OUT != 0 { interest.insert(.write) }
    if let registration = waiting[descriptor] { return loop.change(registration, interest) }
    // Should the kernel refuse, the attempt runs into its timeout, which is the most that can be done here.
    waiting[descriptor] = try? loop.add(descriptor, interest, handler: Waiter(descriptor, self))
  }

  /// Waits for it no more.
  func release(_ descriptor: Int32) {
    if let registration = waiting.removeValue(forKey: descriptor) { loop.remove(registration) }
  }

  fileprivate func ready(_ descriptor: Int32, _ readiness: Readiness) {
    var mask: Int32 = 0
    if readiness.isReadable { mask |= CURL_CSELECT_IN }
    if readiness.isWritable { mask |= CURL_CSELECT_OUT }
    if readiness.isBroken { mask |= CURL_CSELECT_ERR }
    onReady(descriptor, mask)
  }
}

/// Hears of one descriptor: a socket, or a pipe of libcurl's resolver.
private final class Waiter: EventHandler {
  private let descriptor: Int32
  private unowned let table: CurlSocketTable

  init(_ descriptor: Int32, _ table: CurlSocketTable) {
    self.descriptor = descriptor
    self.table = table
  }

  func descriptorReady(_ readiness: Readiness) { table.ready(descriptor, readiness) }
}
