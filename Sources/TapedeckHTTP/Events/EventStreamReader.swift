/// Cuts a stream of events into its pieces, without I/O. Input may be cut anywhere.
///
/// The pieces, put together, are the input: nothing is lost, not even what is no event. A piece comes out as soon as
/// its last line has ended; a line feed that follows a carriage return later belongs to the next piece, and ends no line.
package struct EventStreamReader: Sendable {
  private let form: EventStreamForm
  private var bytes: [UInt8] = []
  /// Where the piece that has begun starts, and its current line.
  private var start = 0
  private var lineStart = 0
  private var position = 0
  private var followsReturn = false
  private var isFirst = true

  package init(_ form: EventStreamForm) { self.form = form }

  /// The size of what is not a whole piece yet.
  package var heldCount: Int { bytes.count - start }

  package mutating func append(_ more: UnsafeRawBufferPointer) {
    if start > 0 {
      bytes.removeFirst(start)
      (lineStart, position, start) = (lineStart - start, position - start, 0)
    }
    bytes.append(contentsOf: more)
  }

  /// The next whole piece; `nil` when more input is needed.
  package mutating func next() -> StreamEvent? {
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      let isSecondHalf = followsReturn && byte == ASCII.lineFeed
      followsReturn = form == .serverSent && byte == ASCII.carriageReturn
      if isSecondHalf { lineStart = position }
      guard !isSecondHalf, byte == ASCII.lineFeed || followsReturn else { continue }
      let isBlank = position - 1 == lineStart
      lineStart = position
      guard isBlank || form == .lines else { continue }
      if followsReturn, position < bytes.count, bytes[position] == ASCII.lineFeed {
        position += 1
        followsReturn = false
      }
      return take()
    }
    return nil
  }

  private mutating func take() -> StreamEvent {
    let piece = Array(bytes[start..<position])
    (start, lineStart) = (position, position)
    defer { isFirst = false }
    return StreamEvent(piece, form, isFirst: isFirst)
  }

  /// What is left at the end of the stream. A line without an end is an event; server-sent events need their blank line.
  package mutating func finish() -> StreamEvent? {
    position = bytes.count
    guard heldCount > 0 else { return nil }
    switch form {
    case .lines: return take()
    case .serverSent: return take().withoutMeaning
    }
  }
}

extension StreamEvent {
  /// The same bytes, which are no event.
  fileprivate var withoutMeaning: StreamEvent { StreamEvent(unread: bytes, form) }
}
