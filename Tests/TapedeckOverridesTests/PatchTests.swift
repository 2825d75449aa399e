import TapedeckHTTP
import TapedeckSockets
import Testing

@testable import TapedeckOverrides

/// A chain that always answers the same, and a patch before it.
private struct Patched {
  final class Fixed: Responder {
    let answer: ServedResponse
    init(_ answer: ServedResponse) { self.answer = answer }
    func respond(to request: HTTPRequest, decisions: DecisionCollector?) -> ServedResponse? { answer }
  }

  let overrides = Overrides()
  var response: HTTPResponse
  var source = ServedResponse.Source.cassette

  init(_ patches: String, body: String = "", _ fields: (String, String)..., status: Int = 200) throws {
    var all = HTTPFields()
    for (name, value) in fields { try all.append(name, value) }
    response = HTTPResponse(head: HTTPResponseHead(status: status, fields: all), body: Array(body.utf8))
    try overrides.take(#"{"patches": [\#(patches)]}"#)
  }

  enum Kind: CaseIterable { case response, prepared, chunked, stream, chunkedStream }

  private func content(_ kind: Kind, _ method: HTTPMethod) -> ServedResponse.Content {
    let hasNoBody = BodyFraming.hasNoBody(status: response.head.status, method: method)
    return switch kind {
    case .response: .response(response)
    case .prepared: .prepared(PreparedResponse(response, to: method))
    case .chunked: .prepared(PreparedResponse(response, to: method, chunks: [1, 2]))
    case .stream: .stream(MemorySource(response, framing: hasNoBody ? .none : .length(response.body.count)))
    case .chunkedStream: .stream(MemorySource(response, framing: hasNoBody ? .none : .chunked))
    }
  }

  /// What a client gets, and what is said about it.
  func ask(_ request: HTTPRequest = HTTPRequest(.get, "/a"), as kind: Kind = .response) throws -> Heard {
    let loop = try EventLoop()
    let chain = Fixed(ServedResponse(content(kind, request.method), by: source))
    let responder = overrides.patching(chain, on: loop)
    let decisions = DecisionCollector()
    let answer = try #require(try responder.respond(to: request, decisions: decisions))
    let heard = Heard()
    try #require(answer.content.stream(to: request.method)).start(into: heard)
    let applied = decisions.decisions.applied
    heard.applied = applied.isEmpty ? nil : applied
    return heard
  }
}

/// A client that says what it heard.
private final class Heard: ResponseSink {
  var head = HTTPResponseHead(status: 0)
  var framing = BodyFraming.none
  var body: [UInt8] = []
  var isWhole = false
  var isResting = false
  var failure: HTTPResponse?
  var applied: [String]?

  var text: String { String(decoding: body, as: UTF8.self) }

  func informational(_ head: HTTPResponseHead) {}
  func begin(_ head: HTTPResponseHead, framing: BodyFraming) { (self.head, self.framing) = (head, framing) }
  func write(_ bytes: UnsafeRawBufferPointer, endsChunk: Bool) -> SinkDemand {
    body += bytes
    return .more
  }
  func rest() { isResting = true }
  func end(trailers: HTTPFields) {
    if case .length(let length) = framing { isWhole = length == body.count } else { isWhole = true }
  }
  func fail(_ response: HTTPResponse) { failure = response }
  func abort(_ end: ConnectionEnd) {}
}

@Suite struct PatchTests {
  @Test(arguments: Patched.Kind.allCases)
  private func `a patch lies over answers of every kind`(_ kind: Patched.Kind) throws {
    let patched = try Patched(
      #"""
      {"id": "a", "path": "/a", "status": 418, "headers": {"x-mark": "new", "Gone": null}, "addHeaders": {"X-Mark": 2},
       "json": [{"set": "$.a", "value": [1.0]}, {"append": "$.a", "value": 2}]}
      """#, body: #"{"a": 1, "b": 1.50}"#, ("Content-Type", "application/json"), ("X-Mark", "1"),
      ("X-Mark", "2"),
      ("gone", "1"), ("ETag", "\"1\""), ("Content-MD5", "x"), ("Content-Length", "19"))
    let heard = try patched.ask(as: kind)
    #expect(heard.head.status == 418)
    #expect(heard.text == #"{"a": [1.0, 2], "b": 1.50}"#)
    #expect(heard.isWhole)
    #expect(heard.head.fields.values(of: "x-mark").map { Array($0) } == [Array("new".utf8), Array("2".utf8)])
    #expect(!heard.head.fields.contains("gone"))
    #expect(!heard.head.fields.contains("etag") && !heard.head.fields.contains("content-md5"))
    #expect(heard.applied == ["patch a"])
    let wasChunked = kind == .chunked || kind == .chunkedStream
    #expect((heard.framing == .chunked) == wasChunked)
  }

  @Test(arguments: Patched.Kind.allCases)
  private func `what no patch is for stays as it is`(_ kind: Patched.Kind) throws {
    let patched = try Patched(
      #"{"path": "/b", "status": 418}, {"path": "/a", "method": "POST", "truncate": 0}"#, body: "abc",
      ("ETag", "\"1\""))
    let heard = try patched.ask(as: kind)
    #expect(heard.head == patched.response.head || kind == .prepared || kind == .chunked)
    #expect(heard.text == "abc" && heard.head.status == 200 && heard.head.fields.contains("etag"))
    #expect(heard.applied == nil)
  }

  @Test(arguments: Patched.Kind.allCases)
  private func `a status without a body takes the body away, and one with gives none`(_ kind: Patched.Kind)
    throws
  {
    let gone = try Patched(#"{"path": "/a", "status": 204}"#, body: "abc", ("Content-Length", "3")).ask(
      as: kind)
    #expect(gone.head.status == 204 && gone.framing == .none && gone.body.isEmpty)
    #expect(!gone.head.fields.contains("content-length"))
    let come = try Patched(#"{"path": "/a", "status": 200}"#, ("Content-Length", "3"), status: 304).ask(
      as: kind)
    #expect(come.head.status == 200 && come.body.isEmpty && come.isWhole)
    #expect(come.head.fields.text("content-length").map { $0 == "0" } ?? true)
  }

  @Test(arguments: Patched.Kind.allCases)
  private func `an answer to HEAD is the head of what GET would get`(_ kind: Patched.Kind) throws {
    let patched = try Patched(
      #"{"path": "/a", "headers": {"X-Mark": "1"}, "truncate": 1}"#, body: "", ("Content-Length", "3"),
      ("ETag", "\"1\""))
    let heard = try patched.ask(HTTPRequest(.head, "/a"), as: kind)
    #expect(heard.head.fields.text("x-mark") == "1")
    #expect(!heard.head.fields.contains("content-length") && !heard.head.fields.contains("etag"))
    #expect(heard.framing == .none && heard.body.isEmpty)
    #expect(heard.applied == ["patch patch-1 (a response to HEAD has no body)"])
  }

  @Test(
    arguments: [
      (206, "text/plain", nil, "this is only a part of the body"),
      (304, "text/plain", nil, "a response with status 304 has no body"),
      (200, "text/event-stream; charset=utf-8", nil, "a stream of events is not held"),
      (200, "text/plain", "br", "the body's coding br cannot be opened"),
      (200, "text/plain", "gzip", "the body's coding gzip cannot be opened"),
      (200, "image/png", nil, "the body is not text"),
      (200, "text/plain", nil, "\"nope\" is not in the body"),
    ] as [(Int, String, String?, String)])
  func `where a patch cannot act it says why, and all is as it was`(
    _ status: Int, _ type: String, _ coding: String?, _ remark: String
  ) throws {
    var patched = try Patched(
      #"{"id": "a", "path": "/a", "replace": {"text": "nope", "with": "x"}}"#, body: "body",
      ("Content-Type", type),
      ("ETag", "\"1\""), status: status)
    if let coding { try patched.response.head.fields.append("Content-Encoding", coding) }
    for kind in Patched.Kind.allCases {
      let heard = try patched.ask(as: kind)
      #expect(heard.applied == ["patch a (\(remark))"])
      #expect(heard.text == (status == 304 ? "" : "body"))
      #expect(heard.head.fields.contains("etag"))
    }
    let rule = try #require(patched.overrides.rules(.patches).first)
    #expect(rule.used == 5 && rule.unchanged == 5)
  }

  @Test func `patches apply in the order of their declaration, the second time only where it says so`() throws
  {
    let patched = try Patched(
      #"""
      {"id": "one", "path": "/*", "json": [{"set": "$.a", "value": 1}]},
      {"id": "two", "path": "/a", "on": 2, "json": [{"set": "$.a", "value": 2}], "status": 503},
      {"id": "three", "path": "/{x}", "jsonPatch": [{"op": "copy", "from": "/a", "path": "/c"}]}
      """#, body: #"{"a":0}"#)
    #expect(try patched.ask().text == #"{"a":1,"c":1}"#)
    let second = try patched.ask()
    #expect(second.text == #"{"a":2,"c":2}"#)
    #expect(second.head.status == 503)
    #expect(second.applied == ["patch one", "patch two", "patch three"])
    #expect(try patched.ask().head.status == 200)
    #expect(patched.overrides.rules(.patches).map(\.used) == [3, 1, 3])
  }

  @Test func `a refusal is patched only where a patch asks for it, and counts only there`() throws {
    var patched = try Patched(
      #"{"path": "/a", "status": 404, "on": 1}, {"path": "/a", "misses": true, "headers": {"X-Mark": "1"}}"#,
      status: 502)
    patched.source = .unmatched
    let heard = try patched.ask()
    #expect(heard.head.status == 502 && heard.head.fields.contains("x-mark"))
    patched.source = .cassette
    #expect(try patched.ask().head.status == 404)
  }

  @Test(arguments: [
    (0, "", true), (2, "ab", true), (3, "abc", false), (9, "abc", false),
  ])
  func `a body is cut to its first bytes`(_ length: Int, _ text: String, _ changes: Bool) throws {
    let patched = try Patched(#"{"id": "a", "path": "/a", "truncate": \#(length)}"#, body: "abc")
    for kind in Patched.Kind.allCases {
      let heard = try patched.ask(as: kind)
      #expect(heard.text == text && heard.isWhole)
      #expect(heard.applied == ["patch a" + (changes ? "" : " (the body has no more than \(length) bytes)")])
    }
  }

  @Test func `a large body is cut without being held, and passes any other patch as it is`() throws {
    let large = String(repeating: "x", count: Patching.maximumHeldBytes + 1)
    for kind in [Patched.Kind.stream, .chunkedStream] {
      let cut = try Patched(#"{"path": "/a", "truncate": 5}"#, body: large).ask(as: kind)
      #expect(cut.text == "xxxxx" && cut.isWhole)
      let passed = try Patched(
        #"{"path": "/a", "status": 201, "replace": {"text": "x", "with": "y"}}"#, body: large,
        ("Content-Type", "text/plain")
      ).ask(as: kind)
      #expect(
        passed.body.count == large.utf8.count && passed.body.last == UInt8(ascii: "x") && passed.isWhole)
      #expect(passed.head.status == 201)
      #expect(passed.applied == ["patch patch-1 (the body has more than 16 MiB)"])
    }
  }

  @Test func `texts are replaced in the charset of the body`() throws {
    var patched = try Patched(
      #"{"path": "/a", "replace": [{"text": "é", "with": "ö"}, {"text": "ö", "with": "öö"}]}"#,
      ("Content-Type", "text/plain; charset=iso-8859-1"))
    patched.response.body = [0x61, 0xE9, 0x62]
    #expect(try patched.ask().body == [0x61, 0xF6, 0xF6, 0x62])
  }

  @Test func `a JSON patch that cannot be applied is left out as a whole`() throws {
    let heard = try Patched(
      #"{"id": "a", "path": "/a", "jsonPatch": [{"op": "remove", "path": "/a"}, {"op": "remove", "path": "/a"}]}"#,
      body: #"{"a":1}"#
    ).ask()
    #expect(heard.text == #"{"a":1}"#)
    #expect(heard.applied == [#"patch a (jsonPatch left out: operation 1: nothing stands at "/a")"#])
  }

  @Test(arguments: [
    "{\n  \"a\": 1,\n  \"b\": [\n    1\n  ]\n}\n", "{\"a\":1,\"b\":[1]}", "{\"a\": 1, \"b\": [1]}",
    "{\n\t\"a\": 1,\n\t\"b\": [\n\t\t1\n\t]\n}",
  ])
  func `a document keeps the white space it is written with`(_ body: String) throws {
    let heard = try Patched(#"{"path": "/a", "json": [{"set": "$.a", "value": 2}]}"#, body: body).ask()
    #expect(heard.text == body.replacing("\"a\": 1", with: "\"a\": 2").replacing("\"a\":1", with: "\"a\":2"))
  }

  @Test(arguments: [
    (#"{"path": "/a"}"#, "patches[0]: changes nothing"),
    (#"{"path": "/a", "stauts": 1}"#, "patches[0].stauts: unknown member"),
    (#"{"path": "/a", "status": 101}"#, "patches[0].status"),
    (
      #"{"path": "/a", "headers": {"Content-Length": "1"}}"#,
      "patches[0].headers.Content-Length: is set by"
    ),
    (#"{"path": "/a", "headers": {"a b": null}}"#, "is not a header name"),
    (#"{"path": "/a", "addHeaders": {"X-Mark": null}}"#, "has no value to add"),
    (#"{"path": "/a", "headers": {"X-Mark": {}}}"#, "must be a text, a number"),
    (#"{"path": "/a", "json": {"a": 1}}"#, "patches[0].json: must be a list of edits"),
    (#"{"path": "/a", "json": [{"set": "a", "value": 1}]}"#, "patches[0].json[0].set: "),
    (#"{"path": "/a", "json": [{"set": "$.a"}]}"#, "\"value\" is missing"),
    (#"{"path": "/a", "json": [{"remove": "$"}]}"#, "cannot be removed"),
    (#"{"path": "/a", "json": [{"remove": "$.a", "value": 1}]}"#, "does not go with remove"),
    (#"{"path": "/a", "json": [{"set": "$.a", "remove": "$.b"}]}"#, "needs one of set"),
    (#"{"path": "/a", "jsonPatch": [{"op": "ad"}]}"#, "patches[0].jsonPatch: operation 0: "),
    (#"{"path": "/a", "replace": [{"text": "", "with": ""}]}"#, "patches[0].replace[0].text"),
    (#"{"path": "/a", "replace": {"text": "a"}}"#, "patches[0].replace.with"),
    (#"{"path": "/a", "delay": "1s"}"#, "patches[0].delay: must be seconds"),
    (#"{"path": "/a", "delay": {"min": 2, "max": 1}}"#, "patches[0].delay: needs min and max"),
    (#"{"path": "/a", "truncate": -1}"#, "patches[0].truncate"),
  ])
  func `a wrong patch says where and what`(_ text: String, problem: String) {
    #expect {
      _ = try Patched(text)
    } throws: { error in
      "\(error)".hasPrefix("o.json:") && "\(error)".contains(problem)
    }
  }
}
