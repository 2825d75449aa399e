internal import TapedeckSockets

/// The bytes waiting to be sent to a client. Joins small pieces, and keeps large bodies by reference.
struct OutputQueue {
  private static let copyLimit = 8 * 1024
  private static let keptCapacity = 4 * 1024

  /// Whole bodies and full tails, in order; `segmentStart` bytes of the first are sent.
  private var segments: [[UInt8]] = []
  private var firstSegment = 0
  private var segmentStart = 0
  private var tail: [UInt8] = []
  /// Whether `tail` is somebody's message, and not memory to write into.
  private var isTailShared = false
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  mutating func append(_ bytes: [UInt8]) {
    guard bytes.count > Self.copyLimit else {
      if count == 0 {
        (tail, isTailShared) = (bytes, true)
        count = bytes.count
        return
      }
      dropSentTail()
      tail.append(contentsOf: bytes)
      count += bytes.count
      return
    }
    closeTail()
    segments.append(bytes)
    count += bytes.count
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    write { $0.append(contentsOf: bytes) }
  }

  mutating func write(_ body: (inout [UInt8]) -> Void) {
    dropSentTail()
    if isTailShared, count == 0 { (tail, isTailShared) = ([], false) }
    let before = tail.count
    body(&tail)
    count += tail.count - before
  }

  /// Without this, a queue that is never empty would keep everything it ever sent.
  private mutating func dropSentTail() {
    guard segments.isEmpty, segmentStart > tail.count / 2 else { return }
    tail.removeFirst(segmentStart)
    segmentStart = 0
  }

  private mutating func closeTail() {
    guard !tail.isEmpty else { return }
    segments.append(tail)
    tail = []
  }

  /// Writes until nothing is left or the socket is full. Returns the failure, if any.
  mutating func flush(to socket: StreamSocket) -> TransferResult? {
    while count > 0 {
      let result = writeOnce(to: socket)
      guard case .bytes(let written) = result else {
        if case .wouldBlock = result { return nil }
        return result
      }
      consume(written)
    }
    if tail.capacity > Self.keptCapacity { tail = [] }
    return nil
  }

  private func writeOnce(to socket: StreamSocket) -> TransferResult {
    guard firstSegment < segments.count else {
      return tail.withUnsafeBytes { socket.write(UnsafeRawBufferPointer(rebasing: $0[segmentStart...])) }
    }
    let next = firstSegment + 1 < segments.count ? segments[firstSegment + 1] : tail
    return segments[firstSegment].withUnsafeBytes { first in
      next.withUnsafeBytes { second in
        socket.write(UnsafeRawBufferPointer(rebasing: first[segmentStart...]), second)
      }
    }
  }

  private mutating func consume(_ written: Int) {
    count -= written
    guard count > 0 else { return startAnew() }
    var rest = written + segmentStart
    while firstSegment < segments.count, rest >= segments[firstSegment].count {
      rest -= segments[firstSegment].count
      segments[firstSegment] = []
      firstSegment += 1
    }
    if firstSegment == segments.count {
      segments.removeAll(keepingCapacity: true)
      firstSegment = 0
    }
    segmentStart = rest
  }

  private mutating func startAnew() {
    if !segments.isEmpty { segments.removeAll(keepingCapacity: true) }
    if isTailShared { (tail, isTailShared) = ([], false) } else { tail.removeAll(keepingCapacity: true) }
    (firstSegment, segmentStart) = (0, 0)
  }
}
