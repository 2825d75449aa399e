import TapedeckHTTP
import TestSupport
import Testing

@testable import TapedeckRecording

/// What an interaction in its file says of its request is put together from what many share.
@Test func `an outlined interaction gives back the request it was made of`() throws {
  var random = SeededGenerator(22)
  var last: HTTPRequest.SharedHead?
  var shared = 0
  for number in 0..<500 {
    var fields = HTTPFields()
    try fields.append("Host", "example.com")
    if Int.random(in: 0..<4, using: &random) == 0 { try fields.append("X-Tenant", "\(number)") }
    var request = HTTPRequest(
      method: [.get, .get, .get, .post].randomElement(using: &random)!, target: Array("/item/\(number)".utf8),
      fields: fields, body: Array(repeating: 7, count: Int.random(in: 0..<3, using: &random)),
      authority: Array("example.com".utf8))
    if Int.random(in: 0..<9, using: &random) == 0 { try request.trailers.append("T", "\(number)") }
    if Int.random(in: 0..<5, using: &random) == 0 { request.name(HTTPOrigin("https://api.example.com")!) }
    let key = RequestMatcher().key(for: request)
    let outline = InteractionOutline(
      recorded: RecordedRequest(request), status: 200, recordedAtMicroseconds: nil,
      varying: number % 7 == 0 ? [Array("accept".utf8)] : [])
    let stored = StoredInteraction(
      "get-item-\(number).\(2 + number % 3).json", outline, key: key, bytes: 1, like: last, file: nil)
    #expect(stored.recorded.request == request)
    #expect(stored.requestBody == request.body)
    #expect(stored.key == key && stored.key.isVerbatim == key.isVerbatim && stored.key.plain == key.plain)
    #expect(stored.hasKey(key.bytes, isPlain: false) && stored.hasKey(key.plain.bytes, isPlain: true))
    #expect(!stored.hasKey(key.bytes + [0], isPlain: false))
    #expect(stored.fileName == "get-item-\(number).\(2 + number % 3).json")
    #expect(stored.ordinal == 2 + number % 3)
    #expect(stored.varying == outline.varying)
    if stored.sharedHead === last { shared += 1 }
    last = stored.sharedHead
  }
  #expect(shared > 50)
}
