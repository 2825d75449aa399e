internal import TapedeckSockets

/// One client: reads lines, answers each. What it cannot send yet waits, and meanwhile nothing is read.
final class LineConnection: EventHandler {
  private static let maximumLineBytes = 1 << 20

  private unowned let loop: EventLoop
  private let socket: StreamSocket
  private let log: LineLog
  private let answer: LineServer.Answer
  private var registration: EventLoop.Registration?
  private var read: [UInt8] = []
  private var unsent: [UInt8] = []
  private var hasEnded = false

  init(loop: EventLoop, socket: StreamSocket, log: LineLog, answer: @escaping LineServer.Answer) {
    self.loop = loop
    self.socket = socket
    self.log = log
    self.answer = answer
  }

  func start() {
    do throws(SocketError) { registration = try loop.add(socket.descriptor, .read, handler: self) } catch {
      socket.close()
    }
  }

  func descriptorReady(_ readiness: Readiness) {
    if unsent.isEmpty { readLines() } else { send() }
  }

  private func readLines() {
    let result = withUnsafeTemporaryAllocation(byteCount: 16 * 1024, alignment: 16) { buffer in
      let result = socket.read(into: buffer)
      if case .bytes(let count) = result { read += buffer[..<count] }
      return result
    }
    switch result {
    case .bytes: break
    case .wouldBlock: return
    case .endOfStream: hasEnded = true
    case .failed: return end()
    }
    while let index = read.firstIndex(of: UInt8(ascii: "\n")) {
      take(read[..<index])
      read.removeSubrange(...index)
    }
    if hasEnded, !read.isEmpty { take(read[...]) }
    if read.count > Self.maximumLineBytes { return end() }
    send()
  }

  private func take(_ bytes: ArraySlice<UInt8>) {
    let line = String(decoding: bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes, as: UTF8.self)
    log.add(line)
    if let answer = answer(line) { unsent += Array("\(answer)\n".utf8) }
  }

  private func send() {
    while !unsent.isEmpty {
      switch unsent.withUnsafeBytes({ socket.write($0) }) {
      case .bytes(let count): unsent.removeFirst(count)
      case .wouldBlock: return wait(for: .write)
      case .endOfStream, .failed: return end()
      }
    }
    if hasEnded { end() } else { wait(for: .read) }
  }

  private func wait(for interest: Interest) {
    if let registration { loop.change(registration, interest) }
  }

  private func end() {
    if let registration { loop.remove(registration) }
    registration = nil
    socket.close()
  }
}
