internal import CCurl
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
  var isIdle = false
  /// The easy handle that waited for it last.
  var user: UnsafeMutableRawPointer?
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

/// The descriptors of one multi handle, and what the loop knows of them.
///
/// Waiting is lazy: when libcurl stops waiting for a connection, the loop goes on doing so, and only an event
/// that nobody wants ends that. So a keep-alive connection that serves one exchange after another costs no
/// `epoll_ctl`. And an idle connection is always watched: whatever arrives on it (an end, or an answer that
/// nobody asked for) kills it before the next exchange can mistake it for its own (B35, B36).
final class CurlSocketTable {
  private let loop: EventLoop
  private var sockets: [Int32: CurlSocket] = [:]
  /// The connection that each easy handle was last seen waiting for.
  private var inUse: [UnsafeMutableRawPointer: Int32] = [:]
  private var idle: Set<Int32> = []
  private var keptByLocalPort: [Int32: Int32] = [:]
  private(set) var openedCount = 0
  var onOpened: () -> Void = {}
  /// Called when an idle connection is of no more use, though libcurl still holds its descriptor.
  var onIdleEnded: () -> Void = {}
  /// Hands an event on to libcurl.
  var onReady: (Int32, Int32) -> Void = { _, _ in }

  init(loop: EventLoop) { self.loop = loop }

  deinit { for socket in sockets.values { stopWatching(socket) } }

  // MARK: Called by libcurl

  func open(_ address: curl_sockaddr) -> Int32 {
    let kind = address.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.family, kind, address.protocol)
    guard descriptor >= 0 else { return -1 }
    openedCount += 1
    onOpened()
    sockets[descriptor] = CurlSocket(descriptor, isConnection: true, table: self)
    return descriptor
  }

  func close(_ descriptor: Int32) {
    if let socket = sockets.removeValue(forKey: descriptor) { forget(socket) }
    Glibc.close(descriptor)
  }

  /// libcurl's wish for `descriptor`: CURL_POLL_IN, OUT, INOUT or REMOVE.
  func wait(_ descriptor: Int32, for what: Int32, by easy: UnsafeMutableRawPointer?) {
    guard what != CURL_POLL_REMOVE else { return stopWaiting(descriptor) }
    let socket = sockets[descriptor] ?? addForeign(descriptor)
    socket.isWanted = true
    socket.isIdle = false
    idle.remove(descriptor)
    socket.user = easy
    if let easy, socket.isConnection { inUse[easy] = descriptor }
    var interest: Interest = []
    if what & CURL_POLL_IN != 0 { interest.insert(.read) }
    if what & CURL_POLL_OUT != 0 { interest.insert(.write) }
    apply(interest, to: socket)
  }

  private func addForeign(_ descriptor: Int32) -> CurlSocket {
    let socket = CurlSocket(descriptor, isConnection: false, table: self)
    sockets[descriptor] = socket
    return socket
  }

  private func stopWaiting(_ descriptor: Int32) {
    guard let socket = sockets[descriptor] else { return }
    socket.isWanted = false
    if !socket.isConnection {
      sockets[descriptor] = nil
      forget(socket)
    } else if socket.interest.contains(.write) {
      apply(.read, to: socket)
    }
  }

  private func apply(_ interest: Interest, to socket: CurlSocket) {
    if let registration = socket.registration {
      if socket.interest != interest { loop.change(registration, interest) }
    } else {
      // Should the kernel refuse, the transfer runs into its timeout, which is the most that can be done
      // here.
      socket.registration = try? loop.add(socket.descriptor, interest, handler: socket)
    }
    socket.interest = interest
  }

  private func forget(_ socket: CurlSocket) {
    idle.remove(socket.descriptor)
    if keptByLocalPort[socket.localPort] == socket.descriptor { keptByLocalPort[socket.localPort] = nil }
    stopWatching(socket)
  }

  private func stopWatching(_ socket: CurlSocket) {
    if let registration = socket.registration { loop.remove(registration) }
    socket.registration = nil
    socket.interest = []
  }

  // MARK: Called by the loop

  func ready(_ socket: CurlSocket, _ readiness: Readiness) {
    guard !socket.isIdle else { return checkIdle(socket) }
    guard socket.isWanted else { return stopWatching(socket) }
    var mask: Int32 = 0
    if readiness.isReadable { mask |= CURL_CSELECT_IN }
    if readiness.isWritable { mask |= CURL_CSELECT_OUT }
    if readiness.isBroken { mask |= CURL_CSELECT_ERR }
    onReady(socket.descriptor, mask)
  }

  // MARK: Idle connections

  /// The transfer of `easy` is over; if its connection is still there, it waits for the next one.
  func release(_ easy: UnsafeMutableRawPointer) {
    // A descriptor that was closed may by now be another connection's: `user` tells.
    guard let descriptor = inUse.removeValue(forKey: easy), let socket = sockets[descriptor],
      socket.user == easy
    else { return }
    socket.isIdle = true
    socket.isWanted = false
    idle.insert(descriptor)
    keptByLocalPort[socket.localPort] = descriptor
    if socket.registration == nil || socket.interest != .read { apply(.read, to: socket) }
  }

  /// A request is about to leave on a connection, perhaps a kept one: from now on what arrives there is its answer. To
  /// wait for libcurl's wish would be too late: one that is paused at once, for a client that does not read, has none.
  func take(localPort: Int32, by easy: UnsafeMutableRawPointer) {
    guard let descriptor = keptByLocalPort[localPort], let socket = sockets[descriptor], socket.isIdle else {
      return
    }
    socket.isIdle = false
    idle.remove(descriptor)
    socket.user = easy
    inUse[easy] = descriptor
  }

  /// Kills every idle connection on which something has arrived since the loop last looked.
  func killNoisyConnections() {
    guard !idle.isEmpty else { return }
    var polls = idle.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard poll(&polls, nfds_t(polls.count), 0) > 0 else { return }
    for entry in polls where entry.revents != 0 {
      if let socket = sockets[entry.fd] { checkIdle(socket) }
    }
  }

  /// Shuts the connection down if there is anything on it: libcurl then finds it dead and opens another.
  private func checkIdle(_ socket: CurlSocket) {
    var byte: UInt8 = 0
    let count = recv(socket.descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    shutdown(socket.descriptor, Int32(SHUT_RDWR))
    idle.remove(socket.descriptor)
    stopWatching(socket)
    onIdleEnded()
  }
}
