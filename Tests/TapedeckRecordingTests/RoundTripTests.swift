import TapedeckHTTP
import Testing

@testable import TapedeckRecording

@Suite struct RoundTripTests {
  @Test func recordsAndReplays() throws {
    let folder = try TemporaryDirectory()
    let original = exchange("GET", "/users/octocat?x=1", headers: [("Accept", "*/*")])
    let report = try record([original], into: folder("c"))
    #expect(report.written == 1)
    print(try folder.contents(of: "c").map { ($0, String(decoding: $1, as: UTF8.self)) })
    let cassette = try Cassette.load(folder("c"))
    #expect(cassette.answers.map(\.interaction) == [original])
  }
}
