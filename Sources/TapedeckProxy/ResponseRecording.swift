internal import TapedeckHTTP
internal import TapedeckRecording
internal import TapedeckSockets
internal import TapedeckUpstream

/// Gathers one answer as it streams past, and hands the complete exchange to the tape.
final class ResponseRecording {
  private let job: RecordingJob
  private let upstream: UpstreamExchange
  private let request: HTTPRequest
  private let sentFields: HTTPFields
  private let interim: [HTTPResponseHead]
  private let head: HTTPResponseHead
  private let framing: BodyFraming
  private var spool: BodySpool?
  private var chunks = ChunkLog()
  private var size = 0
  /// Of chunks, whose sizes are kept in memory and end in one line of JSON.
  private static let maximumChunks = 1 << 20

  init(
    job: RecordingJob, request: HTTPRequest, sentFields: HTTPFields, upstream: UpstreamExchange,
    interim: [HTTPResponseHead], head: HTTPResponseHead, framing: BodyFraming
  ) {
    self.job = job
    self.request = request
    self.sentFields = sentFields
    self.upstream = upstream
    self.interim = interim
    self.head = head
    self.framing = framing
    spool = job.tape.recorder?.makeSpool(answering: request, fields: head.fields)
    if case .length(let length) = framing { size = length }
    if isOversized { skip() }
    size = 0
  }

  private var isOversized: Bool {
    size > job.tape.maxRecordedBodyBytes || chunks.sizes.count > Self.maximumChunks
  }

  /// Lets the answer pass unrecorded.
  private func skip() {
    job.tape.skipOversized()
    discard()
  }

  func append(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) {
    guard let spool else { return }
    if framing == .chunked {
      chunks.append(bytes.count, endsChunk: endsChunk, at: elapsedNanoseconds)
    }
    size += bytes.count
    if isOversized { return skip() }
    do {
      try spool.append(bytes)
    } catch {
      job.tape.fail("\(error)")
      discard()
    }
  }

  private var elapsedNanoseconds: Int64 {
    upstream.startTime.map { MonotonicTime.now.nanoseconds(since: $0) } ?? 0
  }

  func discard() {
    spool?.discard()
    spool = nil
    chunks = ChunkLog()
  }

  /// Returns when the exchange is safe, or when it is clear that it cannot be.
  func finish(trailers: HTTPFields, isCutByClient: Bool = false) {
    guard let spool else { return }
    self.spool = nil
    do {
      chunks.endChunk(at: elapsedNanoseconds)
      let body = try spool.finish()
      chunks.take(spool.mapped(chunkSizes: chunks.sizes))
      var response = RecordedResponse(
        head: head, body: body, chunkSizes: framing == .chunked ? chunks.sizes : nil,
        trailers: trailers, isCloseDelimited: framing == .untilClose)
      response.interim = interim
      response.isCutByClient = isCutByClient
      let volatile = VolatileFacts(
        recordedAtMicroseconds: WallClock.microseconds,
        durationMilliseconds: Double(elapsedNanoseconds / 1000) / 1000,
        remoteAddress: upstream.remoteAddress,
        chunkOffsetsMilliseconds: framing == .chunked ? chunks.offsetsMilliseconds : nil)
      var sent = request
      sent.fields = sentFields
      if !job.tape.matcher.rules.parts.contains(.host) { sent.authority = [] }
      job.tape.record(
        Interaction(request: sent, response: response, volatile: volatile), arrival: job.arrival)
    } catch {
      job.tape.fail("\(error)")
    }
  }
}

/// The origin's chunks: how large, and when each was complete.
struct ChunkLog {
  private(set) var sizes: [Int] = []
  private(set) var offsetsMilliseconds: [Double]? = []
  private var current = 0

  /// Takes the sizes that chunks have in the recording, where those that have nothing left are none.
  mutating func take(_ mapped: [Int]) {
    guard mapped != sizes else { return }
    if let offsets = offsetsMilliseconds {
      offsetsMilliseconds =
        offsets.count == mapped.count ? zip(offsets, mapped).filter { $0.1 > 0 }.map(\.0) : nil
    }
    sizes = mapped.filter { $0 > 0 }
  }

  mutating func append(_ count: Int, endsChunk: Bool, at nanoseconds: Int64) {
    current += count
    if endsChunk { endChunk(at: nanoseconds) }
  }

  /// Ends the chunk that has begun, if one has.
  mutating func endChunk(at nanoseconds: Int64) {
    guard current > 0 else { return }
    sizes.append(current)
    offsetsMilliseconds?.append(Double(nanoseconds / 1000) / 1000)
    if sizes.count > VolatileFacts.maximumChunkOffsets { offsetsMilliseconds = nil }
    current = 0
  }
}
