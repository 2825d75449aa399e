import Foundation
import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckFormats
@testable import TapedeckRecording
@testable import TapedeckRedaction

@Suite struct WireMockReaderTests {
  private func read(_ mappings: String...) throws -> ImportedSession {
    let text = #"{"mappings": [\#(mappings.joined(separator: ", "))]}"#
    return try ImportedSession.read(ImportSource(path: "m.json", bytes: Array(text.utf8)))
  }

  private func mapping(
    _ request: String = #""method": "GET", "url": "/x?a=1""#,
    _ response: String = #""status": 200, "body": "hello""#,
    _ more: String = ""
  ) -> String {
    #"{"request": {\#(request)}, "response": {\#(response)}\#(more)}"#
  }

  @Test func `a mapping as the recorder writes it`() throws {
    let session = try read(
      mapping(
        #""method": "POST", "url": "/x?a=1", "bodyPatterns": [{"equalToJson": "{\"a\": 1}"}]"#,
        #""status": 201, "statusMessage": "Made", "body": "hello", "headers": {"A": "1", "B": ["2", "3"]}, "fixedDelayMilliseconds": 20"#,
        #", "id": "1", "uuid": "1", "name": "x", "persistent": true, "insertionIndex": 3, "metadata": {}"#))
    let exchange = try #require(session.exchanges.first)
    #expect(exchange.origin == "")
    #expect(exchange.interaction.request.targetText == "/x?a=1")
    #expect(exchange.interaction.request.body == Array(#"{"a": 1}"#.utf8))
    #expect(exchange.interaction.request.fields == fields([("Content-Type", "application/json")]))
    #expect(exchange.interaction.response.head.reason == Array("Made".utf8))
    #expect(exchange.interaction.response.head.fields == fields([("A", "1"), ("B", "2"), ("B", "3")]))
    #expect(exchange.interaction.volatile.durationMilliseconds == 20)
    #expect(session.notes.map(\.severity) == [.changed, .changed])
  }

  @Test(arguments: [
    (#""method": "GET", "urlPath": "/x", "queryParameters": {"a b": {"equalTo": "&"}}"#, "/x?a+b=%26", 0),
    (#""method": "GET", "urlPath": "/x""#, "/x", 1), (#""method": "GET", "url": "/x y""#, "/x%20y", 0),
    (#""method": "GET", "url": "/x", "headers": {"Accept": {"equalTo": "a/b"}}"#, "/x", 1),
    (#""method": "GET", "url": "/x", "basicAuthCredentials": {"username": "u", "password": "p"}"#, "/x", 1),
  ]) func `requests that are pinned`(request: String, target: String, notes: Int) throws {
    let session = try read(mapping(request))
    #expect(session.exchanges.first?.interaction.request.targetText == target)
    #expect(session.notes.map(\.severity) == Array(repeating: .lost, count: notes))
  }

  @Test(
    arguments: [
      (#"{"equalTo": "a=1&b=2"}"#, "a=1&b=2", "application/x-www-form-urlencoded"),
      (#"{"equalTo": "[1]"}"#, "[1]", "application/json"),
      (#"{"equalTo": "some text"}"#, "some text", nil), (#"{"binaryEqualTo": "aGk="}"#, "hi", nil),
      (#"{"equalToJson": {"a": [1]}}"#, #"{"a":[1]}"#, "application/json"),
      (#"{"equalToXml": "<a/>"}"#, "<a/>", nil),
    ] as [(String, String, String?)]) func `bodies that are pinned`(
      pattern: String, body: String, type: String?
    ) throws
  {
    let session = try read(mapping(#""method": "POST", "url": "/x", "bodyPatterns": [\#(pattern)]"#))
    let request = try #require(session.exchanges.first).interaction.request
    #expect(String(decoding: request.body, as: UTF8.self) == body)
    #expect(request.fields.text("content-type") == type)
  }

  @Test(arguments: [
    (#""method": "ANY", "url": "/x""#, "method"), (#""url": "/x""#, "method"),
    (#""method": "GET""#, "any URL"),
    (#""method": "GET", "urlPattern": "/x.*""#, "urlPattern"),
    (#""method": "GET", "urlPathTemplate": "/{x}""#, "urlPathTemplate"),
    (#""method": "GET", "urlPath": "/x", "queryParameters": {"a": {"matches": ".*"}}"#, "queryParameters"),
    (
      #""method": "GET", "urlPath": "/x", "queryParameters": {"a": {"equalTo": "b", "caseInsensitive": true}}"#,
      "queryParameters"
    ),
    (#""method": "GET", "url": "/x", "headers": {"A": {"contains": "b"}}"#, "headers"),
    (#""method": "GET", "url": "/x", "cookies": {}"#, "cookies"),
    (#""method": "POST", "url": "/x", "bodyPatterns": [{"matchesJsonPath": "$.a"}]"#, "matchesJsonPath"),
    (#""method": "POST", "url": "/x", "bodyPatterns": [{"equalTo": "a"}, {"equalTo": "b"}]"#, "several"),
    (#""method": "POST", "url": "/x", "customMatcher": {"name": "x"}"#, "customMatcher"),
  ]) func `patterns are left out`(request: String, named: String) throws {
    try expectLeftOut(mapping(request), named)
  }

  @Test(arguments: [
    (#""fault": "EMPTY_RESPONSE""#, "EMPTY_RESPONSE"), (#""proxyBaseUrl": "http://a.test""#, "origin"),
    (#""body": "{{request.path}}", "transformers": ["response-template"]"#, "transformer"),
    (#""transformers": ["mine"]"#, "transformer"),
    (#""bodyFileName": "x.json""#, "not there"), (#""base64Body": "?""#, "base64"),
  ]) func `responses that are made are left out`(response: String, named: String) throws {
    try expectLeftOut(mapping(#""method": "GET", "url": "/x""#, response), named)
  }

  private func expectLeftOut(_ mapping: String, _ named: String) throws {
    let session = try read(mapping)
    #expect(session.exchanges.isEmpty)
    #expect(session.notes.map(\.severity) == [.skipped])
    #expect(session.notes.first?.problem.contains(named) == true, "\(session.notes)")
  }

  @Test func `what else a mapping says is told`() throws {
    let session = try read(
      mapping(
        #""method": "GET", "url": "/x""#, #""chunkedDribbleDelay": {}, "delayDistribution": {}"#,
        #", "serveEventListeners": []"#))
    #expect(session.exchanges.count == 1)
    #expect(session.notes.map(\.severity) == [.lost, .lost, .lost])
  }

  @Test func `a scenario of one request is responses in order, however the file orders them`() throws {
    func state(_ body: String, _ required: String, _ new: String?) -> String {
      mapping(
        #""method": "GET", "url": "/x""#, #""body": "\#(body)""#,
        #", "scenarioName": "s", "requiredScenarioState": "\#(required)"\#(new.map { #", "newScenarioState": "\#($0)""# } ?? "")"#
      )
    }
    let session = try read(
      state("three", "s-3", nil), state("one", "Started", "s-2"), state("two", "s-2", "s-3"))
    #expect(
      session.exchanges.map(\.interaction.response.body)
        == ["one", "two", "three"].map { .bytes(Array($0.utf8)) })
    #expect(session.notes.isEmpty)
    let loop = try read(state("one", "Started", "s-2"), state("two", "s-2", "Started"))
    #expect(loop.exchanges.isEmpty && loop.notes.count == 2)
  }

  @Test func `a scenario of several requests is more than responses in order`() throws {
    let session = try read(
      mapping(
        #""method": "GET", "url": "/x""#, "", #", "scenarioName": "s", "requiredScenarioState": "Started""#),
      mapping(#""method": "PUT", "url": "/x""#, "", #", "scenarioName": "s", "newScenarioState": "done""#))
    #expect(session.exchanges.isEmpty)
    #expect(session.notes.map(\.severity) == [.skipped, .skipped])
  }

  @Test func `of mappings for one request the one with priority responds`() throws {
    let session = try read(
      mapping(#""method": "GET", "url": "/x""#, #""body": "second""#),
      mapping(#""method": "GET", "url": "/x""#, #""body": "first""#, #", "priority": 1"#))
    #expect(session.exchanges.map(\.interaction.response.body) == [.bytes(Array("first".utf8))])
    #expect(session.notes.map(\.severity) == [.skipped])
  }

  @Test func `bodies are in __files, and nowhere else`() throws {
    let folder = try TemporaryDirectory()
    for (index, name) in ["a/b.txt", "../secret.txt", "/etc/hostname", "link.txt"].enumerated() {
      try folder.write(
        "mappings/\(index).json",
        mapping(#""method": "GET", "url": "/\#(index)""#, #""bodyFileName": "\#(name)""#))
    }
    try folder.write("__files/a/b.txt", "hello")
    try folder.write("secret.txt", "secret")
    try FileManager.default.createSymbolicLink(
      atPath: folder("__files/link.txt"), withDestinationPath: folder("secret.txt"))
    for path in [folder.path, folder("mappings"), folder.path + "/"] {
      let session = try ImportedSession.read(path)
      #expect(session.exchanges.map(\.interaction.response.body) == [.bytes(Array("hello".utf8))])
      #expect(session.notes.count == 3)
    }
    #expect(try ImportedSession.read(folder("mappings/0.json")).exchanges.count == 1)
  }
}
