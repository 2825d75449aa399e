import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckFormats
@testable import TapedeckRecording
@testable import TapedeckRedaction

/// From a cassette to a file of another tool and back: what the format holds comes back, and the rest is told.
@Suite struct ExportTests {
  private func travel(_ interactions: [Interaction], _ format: ExportFormat) throws -> (
    exchanges: [ImportedExchange], told: [String]
  ) {
    let folder = try TemporaryDirectory()
    try record(interactions, into: folder("a"))
    var out: [UInt8] = []
    var export = CassetteExport(format, creatorVersion: "test")
    let told = try export.write(try Cassette.load(folder("a"))) { out += $0 }
    let session = try ImportedSession.read(ImportSource(path: "out", bytes: out))
    return (session.exchanges, told)
  }

  private static let plain: [Interaction] = [
    exchange("GET", "/a%20b?x=1&x=2&y=%C3%BC"), exchange("GET", "/a", body: Array("first".utf8)),
    exchange("GET", "/a", body: Array("second".utf8)), exchange("DELETE", "/a", status: 404),
    exchange("GET", "/bytes", body: [0, 255, 254]), exchange("GET", "/empty", status: 204, body: []),
    exchange("POST", "/text", sends: Array("tab\t \"q\" \\ \u{2028}".utf8)),
    exchange(
      "GET", "/cookies", answers: [("Set-Cookie", "a=1"), ("X-Mark", "m"), ("set-cookie", "b=2")]),
  ]

  @Test(arguments: ExportFormat.allCases)
  func `requests and responses come back in their order`(format: ExportFormat) throws {
    let came = try travel(Self.plain, format).exchanges.map(\.interaction)
    let folder = try TemporaryDirectory()
    try record(Self.plain, into: folder("a"))
    let there = try Cassette.load(folder("a")).interactions.map(\.interaction)
    #expect(came.count == there.count)
    for old in there {
      let same = came.filter {
        $0.request.method == old.request.method && $0.request.target == old.request.target
          && $0.request.body == old.request.body
      }
      let statuses = same.map(\.response.head.status)
      #expect(statuses.contains(old.response.head.status), "\(old.request.targetText)")
      #expect(same.contains { $0.response.body == old.response.body }, "\(old.request.targetText)")
    }
    let repeated = came.filter { $0.request.targetText == "/a" && $0.request.method == .get }
    #expect(repeated.map(\.response.body) == [.bytes(Array("first".utf8)), .bytes(Array("second".utf8))])
    let cookies = came.first { $0.request.targetText == "/cookies" }
    #expect(
      cookies?.response.head.fields.values(of: "set-cookie").map { Array($0) } == [
        Array("a=1".utf8), Array("b=2".utf8),
      ])
  }

  @Test func `VCR gives back the fields of requests, dates and versions too`() throws {
    var old = exchange("GET", "/old", headers: [("X-Mark", "m"), ("Accept", "*/*")])
    old.response.head.version = .http10
    old.volatile = VolatileFacts(recordedAtMicroseconds: 1_795_225_953_000_000)
    let (came, told) = try travel([old], .vcr)
    #expect(told == [])
    #expect(came.first?.interaction.request.fields.text("x-mark") == "m")
    #expect(came.first?.interaction.response.head.version == .http10)
    #expect(came.first?.interaction.volatile.recordedAtMilliseconds == 1_795_225_953_000)
  }

  @Test(arguments: ExportFormat.allCases)
  func `streams and trailers are told to be lost`(format: ExportFormat) throws {
    var stream = exchange("GET", "/stream", body: Array("hello".utf8), chunks: [2, 3])
    try stream.response.trailers.append("X-Trailer", "1")
    let told = try travel([stream], format).told.joined(separator: "\n")
    #expect(told.contains("pieces") && told.contains("trailers"))
  }

  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777_000, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (1_795_225_953_000, "Sat, 21 Nov 2026 01:52:33 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
  ])
  func `dates are those of HTTP`(milliseconds: Int, text: String) {
    #expect(HTTPDate.text(milliseconds) == text)
  }
}
