internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckSockets

/// The body of a response, gathered for the cassette while it is passed on.
struct ResponseRecording {
  private let cassette: InsertedCassette
  private let isChunked: Bool
  /// `nil` if the response is not recorded.
  private var spool: BodySpool?
  private var chunks = ChunkLog()
  private var size = 0
  /// The sizes of chunks are kept in memory, and written in one line of JSON.
  private static let maximumChunks = 1 << 20

  init(
    of request: HTTPRequest, _ head: HTTPResponseHead, _ framing: BodyFraming, _ cassette: InsertedCassette
  ) {
    self.cassette = cassette
    isChunked = framing == .chunked
    spool = cassette.recorder?.makeSpool(respondingTo: request, fields: head.fields)
    if case .length(let length) = framing { skip(ifOversized: length) }
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool, since start: MonotonicTime?) {
    guard let spool else { return }
    if isChunked { chunks.append(bytes.count, endsChunk: endsChunk, since: start) }
    size += bytes.count
    skip(ifOversized: size)
    guard self.spool != nil else { return }
    do {
      try spool.append(bytes)
    } catch {
      cassette.fail("\(error)")
      discard()
    }
  }

  /// Gives up recording if the response is too large.
  private mutating func skip(ifOversized size: Int) {
    guard size > cassette.maxRecordedBodyBytes || chunks.sizes.count > Self.maximumChunks else { return }
    cassette.skipOversized()
    discard()
  }

  private mutating func discard() {
    spool = nil
    chunks = ChunkLog()
  }

  /// The whole body and its chunks; `nil` if the response is not recorded.
  consuming func finish(since start: MonotonicTime?) -> (body: RecordedBody, chunks: ChunkLog)? {
    guard let spool else { return nil }
    do {
      var chunks = chunks
      chunks.endChunk(since: start)
      let body = try spool.finish()
      chunks.map(to: spool.mapped(chunkSizes: chunks.sizes))
      return (body, chunks)
    } catch {
      cassette.fail("\(error)")
      return nil
    }
  }
}

/// The origin's chunks: how large, and when each was complete.
struct ChunkLog {
  private(set) var sizes: [Int] = []
  private(set) var offsetsMilliseconds: [Double]? = []
  private var current = 0

  /// - Parameter start: of the exchange, from which the time of a chunk is counted.
  mutating func append(_ count: Int, endsChunk: Bool, since start: MonotonicTime?) {
    current += count
    if endsChunk { endChunk(since: start) }
  }

  /// Ends the chunk that has begun, if one has.
  mutating func endChunk(since start: MonotonicTime?) {
    guard current > 0 else { return }
    sizes.append(current)
    offsetsMilliseconds?.append(Self.milliseconds(since: start))
    if sizes.count > VolatileFacts.maximumChunkOffsets { offsetsMilliseconds = nil }
    current = 0
  }

  /// Takes the sizes that the chunks have in the recording, without those that are empty there.
  mutating func map(to mapped: [Int]) {
    guard mapped != sizes else { return }
    if let offsets = offsetsMilliseconds {
      offsetsMilliseconds =
        offsets.count == mapped.count ? zip(offsets, mapped).filter { $0.1 > 0 }.map(\.0) : nil
    }
    sizes = mapped.filter { $0 > 0 }
  }

  /// To the microsecond.
  static func milliseconds(since start: MonotonicTime?) -> Double {
    let nanoseconds = start.map { MonotonicTime.now.nanoseconds(since: $0) } ?? 0
    return Double(nanoseconds / 1000) / 1000
  }
}
