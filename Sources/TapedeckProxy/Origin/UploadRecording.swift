internal import TapedeckHTTP
internal import TapedeckRecording

/// The body of an upload, gathered for the cassette while it is passed on. What is too large to be held is without its
/// secrets before it is written.
struct UploadRecording {
  private let cassette: InsertedCassette
  /// `nil` if the exchange is not recorded.
  private var spool: BodySpool?

  init(of request: HTTPRequest, _ cassette: InsertedCassette) {
    self.cassette = cassette
    spool = cassette.recorder?.makeSpool(ofRequest: request)
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    guard let spool else { return }
    do {
      try spool.append(bytes)
    } catch {
      cassette.fail("\(error)")
      self.spool = nil
    }
  }

  /// The whole body; `nil` if it is not recorded.
  consuming func finish() -> RecordedBody? {
    do { return try spool?.finish() } catch {
      cassette.fail("\(error)")
      return nil
    }
  }
}
