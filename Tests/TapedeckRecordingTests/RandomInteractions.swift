import RecordingTestSupport
import TapedeckHTTP
import TestSupport

@testable import TapedeckRecording
@testable import TapedeckRedaction

extension Interaction {
  /// An exchange of the kind that APIs have, with now and then something rare in it.
  static func random(_ generator: inout SeededGenerator) -> Interaction {
    let isJSON = generator.below(2) == 0
    let sent: [UInt8] = generator.below(3) == 0 ? text(&generator, isJSON: isJSON) : []
    let answer: [UInt8] = generator.below(8) == 0 ? [] : text(&generator, isJSON: isJSON)
    var interaction = exchange(
      ["GET", "POST", "HEAD", "PURGE"][generator.below(4)],
      ["/", "/a/b?c=%20&d", "/users/octocat", "/a", "/b", "*"][generator.below(6)],
      headers: headers(&generator, isJSON: isJSON, bytes: sent.count), sends: sent,
      status: [200, 201, 204, 304, 404, 999][generator.below(6)],
      answers: headers(&generator, isJSON: isJSON, bytes: answer.count), body: answer)
    if generator.below(4) == 0 {
      interaction.response.chunkSizes = (0..<1 + generator.below(5)).map { _ in 1 + generator.below(9) }
      interaction.volatile.chunkOffsetsMilliseconds = interaction.response.chunkSizes?.map {
        Double($0) + 0.125
      }
    }
    if generator.below(20) == 0 { interaction.response.trailers = fields([("X-T", "1")]) }
    interaction.response.isCloseDelimited = generator.below(6) == 0
    interaction.response.isCutByClient = generator.below(60) == 0
    if generator.below(60) == 0 {
      let head = HTTPResponseHead(status: 103, fields: fields([("Link", "</a.css>; rel=preload")]))
      interaction.response.interim = [HTTPResponseHead(status: 102, reason: Array("Soon".utf8)), head]
    }
    if generator.below(60) == 0 { interaction.request.target = [0x2F, 0xE9, 0x9B] }
    if generator.below(60) == 0 { interaction.request.target = Array(#"/é?f={"a":"\"}"#.utf8) }
    if generator.below(3) == 0 { interaction.request.authority = Array("api.test".utf8) }
    if generator.below(5) == 0 { interaction.volatile = VolatileFacts() }
    if generator.below(2) == 0 { interaction.response.head.reason = Array("Any reason".utf8) }
    return interaction
  }

  private static func headers(
    _ generator: inout SeededGenerator, isJSON: Bool, bytes: Int
  ) -> [(String, String)] {
    let all = [
      ("Content-Type", isJSON ? "application/json" : "text/plain; charset=utf-8"), ("Accept", "*/*"),
      ("ETag", "W/\"a\\b\""), ("Content-Length", "\(bytes)"), ("X-Mark", "m"), ("Date", "now"),
      ("Connection", "X-Gone"), ("X-Gone", ""), ("Host", "api.test:80"),
    ]
    let rare = [("Content-Length", "7"), ("X-Mark", "é")].filter { _ in generator.below(20) == 0 }
    return all.filter { _ in generator.below(3) > 0 } + rare
  }

  private static func text(_ generator: inout SeededGenerator, isJSON: Bool) -> [UInt8] {
    let pieces =
      isJSON
      ? [#"{"a": 1}"#, #"{"a":[1,-0.5e7,{"b":null}],"é":"\u00e9\ud800"}"#, "[true, false]", "{", "7"]
      : ["line\nand\n", "é", "quote \" and \\ and tab\t", "\n\n", String(repeating: "x", count: 300)]
    return Array(
      (0..<1 + (isJSON ? 0 : generator.below(3))).map { _ in pieces[generator.below(5)] }.joined().utf8)
  }
}
