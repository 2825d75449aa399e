internal import CCurl
internal import Glibc
internal import TapedeckSockets

/// The descriptors of one multi handle, and what the loop knows of them.
///
/// Waiting is lazy: when libcurl stops waiting for a connection, the loop goes on doing so, and only an event
/// that nobody wants ends that. So a keep-alive connection that serves one exchange after another costs no
/// `epoll_ctl`. And an idle connection is always watched: whatever arrives on it (an end, or an answer that
/// nobody asked for) kills it before the next exchange can mistake it for its own (B35, B36).
final class CurlSocketTable {
  private let loop: EventLoop
  /// By descriptor, which the kernel keeps small.
  private var sockets: [CurlSocket?] = []
  private var idle: [CurlSocket] = []
  /// The local ports of those, in the same order: a list that is quick to look through.
  private var idlePorts: [Int32] = []
  private(set) var openedCount = 0
  private var lastHost: [CChar] = []
  private var lastPort: Int32 = -1
  private var lastAddress = ""
  var onOpened: () -> Void = {}
  /// Called when an idle connection is of no more use, though libcurl still holds its descriptor.
  var onIdleEnded: () -> Void = {}
  /// Hands an event on to libcurl.
  var onReady: (Int32, Int32) -> Void = { _, _ in }

  init(loop: EventLoop) { self.loop = loop }

  deinit { for socket in sockets { if let socket { stopWatching(socket) } } }

  private subscript(descriptor: Int32) -> CurlSocket? {
    get { Int(descriptor) < sockets.count ? sockets[Int(descriptor)] : nil }
    set {
      while sockets.count <= Int(descriptor) { sockets.append(nil) }
      sockets[Int(descriptor)] = newValue
    }
  }

  // MARK: Called by libcurl

  func open(_ address: curl_sockaddr) -> Int32 {
    let kind = address.socktype | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(address.family, kind, address.protocol)
    guard descriptor >= 0 else { return -1 }
    openedCount += 1
    onOpened()
    self[descriptor] = CurlSocket(descriptor, isConnection: true, table: self)
    return descriptor
  }

  func close(_ descriptor: Int32) {
    if let socket = self[descriptor] { forget(socket) }
    Glibc.close(descriptor)
  }

  /// libcurl's wish for `descriptor`: CURL_POLL_IN, OUT, INOUT or REMOVE.
  func wait(_ descriptor: Int32, for what: Int32, by easy: UnsafeMutableRawPointer?) {
    guard what != CURL_POLL_REMOVE else { return stopWaiting(descriptor) }
    let socket = self[descriptor] ?? addForeign(descriptor)
    socket.isWanted = true
    endIdling(socket)
    socket.user = easy
    if let easy, socket.isConnection { CurlTransfer.of(easy)?.socket = socket }
    var interest: Interest = []
    if what & CURL_POLL_IN != 0 { interest.insert(.read) }
    if what & CURL_POLL_OUT != 0 { interest.insert(.write) }
    apply(interest, to: socket)
  }

  private func addForeign(_ descriptor: Int32) -> CurlSocket {
    let socket = CurlSocket(descriptor, isConnection: false, table: self)
    self[descriptor] = socket
    return socket
  }

  private func stopWaiting(_ descriptor: Int32) {
    guard let socket = self[descriptor] else { return }
    socket.isWanted = false
    if !socket.isConnection {
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
    self[socket.descriptor] = nil
    socket.isClosed = true
    endIdling(socket)
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

  private func beginIdling(_ socket: CurlSocket) {
    guard socket.idlePlace == nil else { return }
    socket.idlePlace = idle.count
    idle.append(socket)
    idlePorts.append(socket.localPort)
  }

  private func endIdling(_ socket: CurlSocket) {
    guard let place = socket.idlePlace else { return }
    socket.idlePlace = nil
    let (last, lastPort) = (idle.removeLast(), idlePorts.removeLast())
    guard last !== socket else { return }
    last.idlePlace = place
    idle[place] = last
    idlePorts[place] = lastPort
  }

  /// `transfer` is over; if its connection is still there, it waits for the next one.
  func release(_ transfer: CurlTransfer) {
    guard let socket = transfer.socket.take(), !socket.isClosed, socket.user == transfer.easy else { return }
    socket.isWanted = false
    beginIdling(socket)
    if socket.registration == nil || socket.interest != .read { apply(.read, to: socket) }
  }

  /// A request is about to leave on a connection, perhaps a kept one: from now on what arrives there is its answer. To
  /// wait for libcurl's wish would be too late: one that is paused at once, for a client that does not read, has none.
  func take(localPort: Int32, by transfer: CurlTransfer) {
    guard let place = idlePorts.firstIndex(of: localPort) else { return }
    let socket = idle[place]
    endIdling(socket)
    socket.user = transfer.easy
    transfer.socket = socket
  }

  /// Kills every idle connection on which something has arrived since the loop last looked.
  func killNoisyConnections() {
    guard !idle.isEmpty else { return }
    var polls = idle.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
    guard poll(&polls, nfds_t(polls.count), 0) > 0 else { return }
    for entry in polls where entry.revents != 0 {
      if let socket = self[entry.fd] { checkIdle(socket) }
    }
  }

  /// Shuts the connection down if there is anything on it: libcurl then finds it dead and opens another.
  private func checkIdle(_ socket: CurlSocket) {
    var byte: UInt8 = 0
    let count = recv(socket.descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    if count < 0, errno == EAGAIN || errno == EINTR { return }
    shutdown(socket.descriptor, Int32(SHUT_RDWR))
    endIdling(socket)
    stopWatching(socket)
    onIdleEnded()
  }

  // MARK: Addresses

  /// `host:port`, as text. All connections lead to one origin, so it is nearly always the text of the last time.
  func addressText(_ host: UnsafePointer<CChar>, _ port: Int32) -> String {
    if port == lastPort, lastHost.withUnsafeBufferPointer({ strcmp($0.baseAddress ?? host, host) == 0 }) {
      return lastAddress
    }
    let text = String(cString: host)
    lastPort = port
    lastHost = Array(UnsafeBufferPointer(start: host, count: strlen(host) + 1))
    lastAddress = text.utf8.contains(UInt8(ascii: ":")) ? "[\(text)]:\(port)" : "\(text):\(port)"
    return lastAddress
  }
}
