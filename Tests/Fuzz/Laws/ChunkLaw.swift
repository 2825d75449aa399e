import TapedeckHTTP

/// The chunk decoder: however the bytes are cut, the same body, chunks, trailers and end, or the same error.
enum ChunkLaw {
  struct Outcome: Equatable {
    var body: [UInt8] = []
    /// Where in the body each chunk of the sender's ends.
    var chunkEnds: [Int] = []
    var trailers: HTTPFields?
    var error: HTTPParseError?
    /// How much was used up.
    var consumed = 0
  }

  static func check(_ input: [UInt8]) throws(BrokenLaw) {
    var tight = HTTPLimits()
    tight.chunkLineBytes = 12
    tight.chunkExtensionBytes = 16
    tight.headBytes = 40
    tight.fieldCount = 2
    for limits in [HTTPLimits(), .response, tight] {
      for toleratesBlanks in [false, true] {
        let ways = Pieces.ways(of: input)
        let whole = try outcome(ways[0], limits, toleratesBlanks: toleratesBlanks)
        for way in ways.dropFirst() {
          let other = try outcome(way, limits, toleratesBlanks: toleratesBlanks)
          try require(other == whole, "whole: \(whole)\nbut cut into \(way.count) pieces: \(other)")
        }
        try isReadAgain(whole)
      }
    }
  }

  static func outcome(
    _ pieces: [ArraySlice<UInt8>], _ limits: HTTPLimits, toleratesBlanks: Bool = false
  ) throws(BrokenLaw) -> Outcome {
    var decoder = ChunkedDecoder(limits: limits, toleratesBlanks: toleratesBlanks)
    var outcome = Outcome()
    for piece in pieces where outcome.error == nil && outcome.trailers == nil {
      let problem = Pieces.lend(piece) { feed($0, to: &decoder, &outcome) }
      if let problem { throw problem }
    }
    if outcome.error != nil { outcome.consumed = 0 }
    return outcome
  }

  private static func feed(
    _ bytes: UnsafeRawBufferPointer, to decoder: inout ChunkedDecoder, _ outcome: inout Outcome
  ) -> BrokenLaw? {
    var offset = 0
    defer { outcome.consumed += offset }
    do throws(HTTPParseError) {
      while let event = try decoder.next(bytes, at: &offset) {
        switch event {
        case .data(let range, let endsChunk):
          guard range.upperBound <= bytes.count, !range.isEmpty else { return BrokenLaw("data at \(range)") }
          outcome.body += bytes[range]
          if endsChunk { outcome.chunkEnds.append(outcome.body.count) }
        case .end(let trailers):
          outcome.trailers = trailers
          let end = offset
          guard try decoder.next(bytes, at: &offset) == nil, offset == end else {
            return BrokenLaw("something came after the end")
          }
          return nil
        }
      }
      return offset == bytes.count ? nil : BrokenLaw("no event and no progress at \(offset)")
    } catch {
      outcome.error = error
      return nil
    }
  }

  /// What was decoded, written by our own serializer, is decoded to the same.
  private static func isReadAgain(_ outcome: Outcome) throws(BrokenLaw) {
    guard let trailers = outcome.trailers else { return }
    var out: [UInt8] = []
    var start = 0
    for end in outcome.chunkEnds {
      HTTP1Serializer.appendChunkHead(end - start, to: &out)
      out += outcome.body[start..<end] + HTTP1Serializer.crlf
      start = end
    }
    HTTP1Serializer.appendLastChunk(trailers: trailers, to: &out)
    var again = try self.outcome([out[...]], .response)
    try require(again.consumed == out.count, "\(out.count - again.consumed) bytes of our own were left over")
    again.consumed = outcome.consumed
    try require(again == outcome, "\(outcome) was read again as \(again)")
  }
}
