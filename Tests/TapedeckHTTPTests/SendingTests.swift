import Testing

@testable import TapedeckHTTP

/// Notes what arrives.
private final class NotingSink: ResponseSink {
  private(set) var notes: [String] = []

  func informational(_ head: HTTPResponseHead) { notes.append("\(head.status)") }
  func begin(_ head: HTTPResponseHead, framing: BodyFraming) { notes.append("\(head.status) \(framing)") }
  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    notes.append("\(String(decoding: bytes, as: UTF8.self))\(endsChunk ? "|" : "")")
    return .more
  }
  func rest() { notes.append("rest") }
  func end(trailers: HTTPFields) { notes.append("end \(trailers.count)") }
  func fail(_ response: HTTPResponse) { notes.append("fail \(response.head.status)") }
  func abort(_ end: ConnectionEnd) { notes.append("abort") }
}

@Suite struct `Answers sent as streams` {
  private let response = HTTPResponse(status: 200, contentType: "text/plain", body: Array("abcdef".utf8))

  @Test(arguments: [
    ([1, 2, 3], ["a|", "bc|", "def|"]), ([6], ["abcdef|"]), ([2], ["ab|", "cdef|"]), ([], ["abcdef|"]),
  ]) func `keep their chunks`(_ chunks: [Int], pieces: [String]) {
    let sink = NotingSink()
    PreparedResponse(response, to: .get, chunks: chunks).send(into: sink, to: .get)
    #expect(sink.notes == ["200 chunked"] + pieces + ["end 0"])
  }

  @Test func `keep chunks of any length`() {
    let long = HTTPResponse(
      status: 200, contentType: "text/plain", body: [UInt8](repeating: 0x61, count: 100_000))
    let prepared = PreparedResponse(long, to: .get, chunks: [1, 15, 16, 17, 255, 256, 65_536])
    #expect(prepared.chunkSizes == [1, 15, 16, 17, 255, 256, 65_536, 100_000 - 66_096])
  }

  @Test func `have a length where they are not in chunks, and no body for HEAD`() {
    let (whole, head) = (NotingSink(), NotingSink())
    PreparedResponse(response, to: .get).send(into: whole, to: .get)
    #expect(whole.notes == ["200 length(6)", "abcdef|", "end 0"])
    PreparedResponse(response, to: .head, chunks: [3]).send(into: head, to: .head)
    #expect(head.notes == ["200 none", "end 0"])
    let empty = NotingSink()
    HTTPResponse(head: HTTPResponseHead(status: 204)).send(into: empty, to: .get)
    #expect(empty.notes == ["204 none", "end 0"])
  }
}
