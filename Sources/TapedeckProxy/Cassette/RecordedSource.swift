internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckSockets

/// Streams a recorded response that has interim responses or no end, that is paced, or whose body is too large to hold:
/// its interim responses at once, each chunk when its time has come, a response without chunks when it was complete. A
/// large chunk goes out in pieces, as the client has room for them. A stream that its client left stays open after the
/// last chunk.
final class RecordedSource: ResponseSource {
  private struct Piece {
    var range: Range<Int>
    var dueNanoseconds: Int64
  }

  private static let pieceBytes = 64 * 1024
  /// A day: longer than anyone waits, and far from where sums of times overflow.
  private static let latestNanoseconds = 86_400e9

  private let interaction: Interaction
  private let onCut: CutPolicy
  private let loop: EventLoop
  private var pieces: ArraySlice<Piece>
  private var reader: BodyFileReader?
  private var sink: (any ResponseSink)?
  private var timer: LoopTimer?
  private var startedAt = MonotonicTime.now
  private var isHeadSent = false
  private var isSinkFull = false

  init(_ interaction: Interaction, pace: ReplayPace, onCut: CutPolicy, loop: EventLoop) {
    self.interaction = interaction
    self.onCut = onCut
    self.loop = loop
    pieces = Self.pieces(interaction, pace: pace)[...]
  }

  /// The body cut where the origin cut it, and as a whole where it is neither paced nor held. Without a time for every
  /// chunk, all of it is due at the end.
  private static func pieces(_ interaction: Interaction, pace: ReplayPace) -> [Piece] {
    if pace == .instant, !interaction.isStreamed, case .file(let file) = interaction.response.body {
      return [Piece(range: 0..<file.size, dueNanoseconds: 0)]
    }
    let duration = interaction.volatile.durationMilliseconds ?? 0
    var times = Double.infinity
    if case .recorded(let recorded) = pace { times = recorded }
    let sizes = interaction.response.chunkSizes ?? [interaction.response.body.count]
    let offsets = interaction.volatile.chunkOffsetsMilliseconds ?? []
    var start = 0
    return sizes.enumerated().map { index, size in
      let milliseconds = offsets.count == sizes.count ? offsets[index] : duration
      defer { start += size }
      return Piece(
        range: start..<min(start + size, interaction.response.body.count),
        dueNanoseconds: Int64(min(max(milliseconds / times * 1_000_000, 0), latestNanoseconds)))
    }
  }

  func start(into sink: any ResponseSink) {
    if case .file(let file) = interaction.response.body {
      do { reader = try file.open() } catch { return sink.fail(.unreadable(error)) }
    }
    self.sink = sink
    startedAt = .now
    timer = loop.makeTimer { [weak self] in self?.sendDue() }
    for head in interaction.response.interim { sink.informational(head) }
    waitForNext()
  }

  func cancel() {
    timer?.cancel()
    sink = nil
  }

  func resume() { timer?.set(loop.now) }

  private func waitForNext() {
    let due = pieces.first?.dueNanoseconds ?? 0
    timer?.set(MonotonicTime(nanoseconds: startedAt.nanoseconds + due))
  }

  /// Runs when a piece is due or the sink has room again.
  private func sendDue() {
    isSinkFull = false
    sendHead()
    let elapsed = MonotonicTime.now.nanoseconds(since: startedAt)
    while let sink, !isSinkFull, let piece = pieces.first, piece.dueNanoseconds <= elapsed {
      do {
        let bytes = try takeBytes(of: piece)
        let demand = bytes.withUnsafeBytes { sink.write($0, endsChunk: true) }
        if demand == .gone { return cancel() }
        isSinkFull = demand == .wait
      } catch {
        cancel()
        return sink.fail(.unreadable(error))
      }
    }
    if pieces.isEmpty { finish() } else if !isSinkFull { waitForNext() }
  }

  private func sendHead() {
    guard !isHeadSent, let sink else { return }
    isHeadSent = true
    sink.begin(interaction.response.head, framing: interaction.sentFraming)
  }

  private func finish() {
    guard let sink else { return }
    if interaction.response.isCutByClient, onCut == .open { return sink.rest() }
    cancel()
    sink.end(trailers: interaction.response.trailers)
  }

  /// The next bytes of the first piece. What comes from memory comes whole, with its chunk.
  private func takeBytes(of piece: Piece) throws -> [UInt8] {
    guard let reader else {
      pieces.removeFirst()
      guard case .bytes(let body) = interaction.response.body else { return [] }
      return Array(body[piece.range])
    }
    let count = min(piece.range.count, Self.pieceBytes)
    let bytes = try reader.bytes(at: piece.range.lowerBound, count: count)
    guard bytes.count == count else { throw BodyCutShort(name: reader.name) }
    pieces[pieces.startIndex].range = piece.range.lowerBound + count..<piece.range.upperBound
    if pieces[pieces.startIndex].range.isEmpty { pieces.removeFirst() }
    return bytes
  }
}

/// A body file became shorter while it was sent.
struct BodyCutShort: Error, CustomStringConvertible {
  let name: String
  var description: String { "\(name) is shorter than it was when the cassette was read" }
}
