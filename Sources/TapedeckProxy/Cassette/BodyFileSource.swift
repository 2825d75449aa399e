internal import TapedeckHTTP
internal import TapedeckRecording

/// Streams a recorded body that is too large to hold, piece by piece, as fast as the client reads.
final class BodyFileSource: ResponseSource {
  private static let pieceBytes = 64 * 1024

  private let file: BodyFile
  private let interaction: Interaction
  private var reader: BodyFileReader?
  private var sink: (any ResponseSink)?
  private var offset = 0
  private var isSending = false
  private var mustSend = false

  init(_ file: BodyFile, of interaction: Interaction) {
    self.file = file
    self.interaction = interaction
  }

  func start(into sink: any ResponseSink) {
    do {
      reader = try file.open()
    } catch {
      return sink.fail(.unreadable(error))
    }
    self.sink = sink
    sink.begin(interaction.response.head, framing: interaction.sentFraming)
    resume()
  }

  func cancel() {
    sink = nil
    reader = nil
  }

  /// Sends until the sink is full. A `resume` that arrives from inside `write` is noted, not nested.
  func resume() {
    mustSend = true
    guard !isSending else { return }
    isSending = true
    defer { isSending = false }
    while mustSend {
      mustSend = false
      sendUntilFull()
    }
  }

  private func sendUntilFull() {
    while let sink, let reader {
      do {
        let piece = try reader.bytes(at: offset, count: Self.pieceBytes)
        offset += piece.count
        guard !piece.isEmpty else {
          guard offset == file.size else { throw BodyCutShort(name: file.name) }
          return finish(sink)
        }
        let demand = piece.withUnsafeBytes { sink.write($0, endsChunk: false) }
        if demand == .wait { return }
        if demand == .gone { return cancel() }
      } catch {
        cancel()
        return sink.fail(.unreadable(error))
      }
    }
  }

  private func finish(_ sink: any ResponseSink) {
    cancel()
    sink.end(trailers: interaction.response.trailers)
  }
}

/// A body file became shorter while it was being given.
struct BodyCutShort: Error, CustomStringConvertible {
  let name: String
  var description: String { "\(name) is shorter than it was when the cassette was read" }
}
