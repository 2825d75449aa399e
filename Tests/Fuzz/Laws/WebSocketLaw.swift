import TapedeckHTTP

/// The reader of a WebSocket: however the bytes are cut, the same messages or the same error; and what was read,
/// written again, is read as the same.
enum WebSocketLaw {
  struct Outcome: Equatable {
    var messages: [WebSocketMessage] = []
    var error: WebSocketError?
  }

  static func check(_ input: [UInt8]) throws(BrokenLaw) {
    for side in [WebSocketReader.Side.client, .server] {
      for limit in [100, 1 << 20] {
        let ways = Pieces.ways(of: input)
        let whole = try outcome(ways[0], side, limit)
        for way in ways.dropFirst() {
          let other = try outcome(way, side, limit)
          try require(other == whole, "whole: \(whole)\nbut cut into \(way.count) pieces: \(other)")
        }
        let mask: [UInt8]? = side == .client ? [7, 0, 255, 128] : nil
        let again = whole.messages.flatMap { $0.frame(mask: mask) }
        let reread = try outcome([again[...]], side, limit)
        try require(reread == Outcome(messages: whole.messages), "\(whole)\nread again: \(reread)")
      }
    }
  }

  private static func outcome(
    _ pieces: [ArraySlice<UInt8>], _ side: WebSocketReader.Side, _ limit: Int
  ) throws(BrokenLaw) -> Outcome {
    var reader = WebSocketReader(from: side, maximumMessageBytes: limit)
    var outcome = Outcome()
    for piece in pieces where outcome.error == nil {
      if let problem = Pieces.lend(piece, { feed($0, to: &reader, &outcome) }) { throw problem }
    }
    return outcome
  }

  private static func feed(
    _ bytes: UnsafeRawBufferPointer, to reader: inout WebSocketReader, _ outcome: inout Outcome
  ) -> BrokenLaw? {
    var offset = 0
    do throws(WebSocketError) {
      while let message = try reader.next(bytes, at: &offset) { outcome.messages.append(message) }
      return offset == bytes.count ? nil : BrokenLaw("no message and no progress at \(offset)")
    } catch {
      outcome.error = error
      return nil
    }
  }
}
