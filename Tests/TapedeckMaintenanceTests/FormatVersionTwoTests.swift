import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckFormats
@testable import TapedeckMaintenance
@testable import TapedeckRecording
@testable import TapedeckRedaction

/// What format version 2 adds to an interaction: targets of any bytes, interim responses, streams that the client left.
@Suite struct FormatVersionTwoTests {
  private func tree(_ interaction: Interaction) throws -> JSONValue {
    try InteractionFormat.encode(interaction) { body throws(CassetteError) in
      try BodyFile(unwritten: body)
    }
  }

  private func reread(_ tree: JSONValue) throws -> Interaction {
    try InteractionFormat.decode(tree, in: "f", loader: BodyLoader(directory: nil))
  }

  private static var cut: Interaction {
    var interaction = exchange(body: Array("data: 1\n\n".utf8), chunks: [9])
    interaction.response.isCutByClient = true
    return interaction
  }

  private static var early: Interaction {
    var interaction = exchange()
    interaction.response.interim = [
      HTTPResponseHead(status: 103, fields: fields([("Link", "</a.css>; rel=preload")])),
      HTTPResponseHead(status: 102, reason: Array("Wait".utf8)),
    ]
    return interaction
  }

  @Test(
    arguments: [
      (Array("/a?b={\"c\":1}".utf8), 1, #""/a?b={\"c\":1}""#), (Array("/é".utf8), 2, #""/é""#),
      ([0x2F, 0xE9], 2, #"{"base64":"L+k="}"#), (Array("*".utf8), 1, #""*""#),
    ] as [([UInt8], Int, String)])
  func `a target of any bytes is kept, in version 1 where version 1 had it`(
    target: [UInt8], version: Int, written: String
  ) throws {
    var interaction = exchange()
    interaction.request.target = target
    let tree = try tree(interaction)
    #expect(InteractionFormat.version(of: tree) == version)
    #expect(tree["request"]?["target"]?.bytes() == Array(written.utf8))
    #expect(try reread(tree).request.target == target)
  }

  @Test(arguments: [cut, early]) func `what it adds is read back, and raises the version`(
    interaction: Interaction
  ) throws {
    let tree = try tree(interaction)
    #expect(InteractionFormat.version(of: tree) == 2)
    #expect(try reread(tree) == interaction)
    #expect(InteractionFormat.version(of: try self.tree(exchange())) == 1)
  }

  @Test func `interim responses stand before the response they went before`() throws {
    let text = String(decoding: InteractionFormat.fileBytes(try tree(Self.early)), as: UTF8.self)
    let interim =
      #"{"status": 103, "headers": [["Link", "</a.css>; rel=preload"]]}, "#
      + #"{"status": 102, "reason": "Wait", "headers": []}"#
    #expect(text.contains("\"response\": {\n    \"interim\": [\(interim)],\n    \"version\""))
  }

  @Test(
    arguments: [
      (#""cut": "origin""#, "response.cut"), (#""cut": true"#, "response.cut"),
      (#""interim": [{"status": 200}]"#, "response.interim[0].status"),
      (#""interim": [{"status": 100}]"#, "response.interim[0].status"),
      (#""interim": [{"status": 103, "body": {}}]"#, "unknown member `body`"),
      (#""interim": {}"#, "response.interim"),
    ])
  func `what it adds is read strictly`(member: String, named: String) throws {
    let text =
      #"{"request": {"method": "GET", "target": "/"}, "response": {"status": 200, \#(member)}}"#
    do {
      _ = try reread(try JSONValue(parsing: Array(text.utf8)))
      Issue.record("\(member) was read")
    } catch {
      #expect("\(error)".contains(named))
    }
  }

  @Test func `secrets in interim responses and in a body that was cut are hidden`() throws {
    let folder = try TemporaryDirectory()
    var interaction = Self.cut
    interaction.request.target = Array("/token".utf8)
    interaction.response.head.fields = fields([("Content-Type", "application/json")])
    interaction.response.body = .bytes(Array(#"{"access_token": "s3cr3t-9f8e7d6c5b4a", "items": ["#.utf8))
    interaction.response.chunkSizes = [10, 39]
    interaction.response.interim = [
      HTTPResponseHead(status: 103, fields: fields([("Set-Cookie", "session=9f8e7d6c5b4a39281706; Path=/")]))
    ]
    try record([interaction], into: folder("c"))
    let name = try #require(try folder.names(of: "c").first { $0.hasPrefix("get-token") })
    let text = try folder.text("c/\(name)")
    #expect(!text.contains("9f8e7d6c5b4a"))
    #expect(text.contains(#""cut": "client""#) && text.contains("REDACTED:"))
  }

  @Test func `a comparison tells what it adds`() {
    let fields = { (other: Interaction) in
      InteractionComparison.differences(exchange(chunks: [6]), other).map(\.field)
    }
    var cut = exchange(chunks: [6])
    cut.response.isCutByClient = true
    #expect(fields(cut) == ["cut"])
    var early = exchange(chunks: [6])
    early.response.interim = Self.early.response.interim
    #expect(fields(early) == ["interim responses"])
  }

  @Test func `HAR carries it there and back`() throws {
    var interaction = Self.early
    interaction.response.isCutByClient = true
    interaction.response.chunkSizes = [6]
    interaction.request.target = [0x2F, 0xE9]
    let folder = try TemporaryDirectory()
    let file = folder("a.har")
    let writer = HARWriter(creatorVersion: "1")
    try folder.write("a.har", try writer.file([interaction], upstream: "http://origin.test"))
    let read = try Cassette.open(file).interactions[0].interaction
    #expect(read.response == interaction.response)
    #expect(read.request.target == interaction.request.target)
  }
}
