import Foundation
import TapedeckHTTP
import Testing

@testable import TapedeckOverrides

private func load(_ text: String) throws -> Overrides {
  let overrides = Overrides()
  try overrides.take(text)
  return overrides
}

@Suite struct `The overrides file` {
  @Test(arguments: [
    ("{", "o.json:1:2: not JSON: the JSON ends too early"),
    ("{\n // no\n}", "o.json:2:2: not JSON: a member name in double quotes is expected"),
    ("[]", "o.json:1:1: must be an object"), (#"{"routes": 1}"#, "o.json:1:2: routes: must be a list"),
    ("{\n\"routes\":\n[{\"path\": \"x\"}]}", "o.json:3:3: routes[0].path: must be a text that starts with /"),
    (#"{"routes": [{}]}"#, "o.json:1:13: routes[0].path: must be a text that starts with /"),
    (
      #"{"routes": [{"path": "/x", "statsu": 1}]}"#,
      "o.json:1:28: routes[0].statsu: unknown member; did you mean status?"
    ),
    (
      #"{"routes": [{"path": "/x", "zzzzzz": 1}]}"#, "unknown member; known are id, method, path, when, times"
    ),
    (#"{"route": []}"#, "route: unknown member; did you mean routes?"),
    (
      #"{"routes": [{"path": "/x", "status": 99}]}"#,
      "routes[0].status: must be a whole number from 200 to 999"
    ),
    (#"{"routes": [{"path": "/x", "status": "200"}]}"#, "routes[0].status"),
    (#"{"routes": [{"path": "/x", "method": "G T"}]}"#, "routes[0].method"),
    (#"{"routes": [{"path": "/x", "headers": {"a\r\nb": "c"}}]}"#, "is not a header name"),
    (#"{"routes": [{"path": "/x", "headers": {"a": "b\r\nc: d"}}]}"#, "control character"),
    (#"{"routes": [{"path": "/x", "headers": {"a": ["b", 1]}}]}"#, "routes[0].headers.a: must be a text"),
    (#"{"routes": [{"path": "/{}"}]}"#, "without a name"),
    (#"{"routes": [{"path": "/users/{id}.json"}]}"#, "{id}.json: a parameter takes a whole segment"),
    (#"{"routes": [{"path": "/x?a=1"}]}"#, "what follows ? goes into \"when\""),
    (#"{"routes": [{"path": "/x", "text": "a", "json": 1}]}"#, "routes[0].text: excludes json"),
    (#"{"routes": [{"path": "/x", "file": "a"}]}"#, "routes[0].file: cannot read a: No such file"),
    (#"{"routes": [{"path": "/x", "file": "/etc/passwd"}]}"#, "beneath the folder of the overrides file"),
    (#"{"routes": [{"path": "/x", "file": "../../etc"}]}"#, "routes[0].file: cannot read ../../etc: "),
    (#"{"routes": [{"path": "/x", "delay": "150ms"}]}"#, "routes[0].delay: must be seconds from 0 to 86400"),
    (#"{"routes": [{"path": "/x", "delay": {"min": 2, "max": 1}}]}"#, "routes[0].delay: needs min and max"),
    (#"{"routes": [{"path": "/x", "delay": -1}]}"#, "routes[0].delay"),
    (#"{"routes": [{"path": "/x", "sequence": []}]}"#, "routes[0].sequence: must hold at least one response"),
    (
      #"{"routes": [{"path": "/x", "sequence": [{"stat": 1}]}]}"#,
      "routes[0].sequence[0].stat: unknown member"
    ),
    (
      #"{"routes": [{"path": "/x", "sequence": [{}], "status": 1}]}"#,
      "routes[0].status: belongs in the responses"
    ),
    (#"{"routes": [{"path": "/x", "onEnd": "loop"}]}"#, "routes[0].onEnd: needs a sequence"),
    (
      #"{"routes": [{"path": "/x", "sequence": [{}], "onEnd": "stop"}]}"#,
      "routes[0].onEnd: must be \"repeat\""
    ),
    (#"{"routes": [{"path": "/x", "times": 0}]}"#, "routes[0].times: must be a whole number from 1 on"),
    (
      #"{"routes": [{"path": "/x", "probability": 2}]}"#,
      "routes[0].probability: must be a number from 0 to 1"
    ),
    (#"{"routes": [{"path": "/x", "id": "a b"}]}"#, "routes[0].id: must be 1 to 100 letters"),
    (#"{"routes": [{"path": "/x", "id": 5}]}"#, "routes[0].id: must be a text"),
    (
      #"{"routes": [{"path": "/x", "id": "a"}, {"path": "/y", "id": "a"}]}"#,
      "o.json:1:55: routes[1].id: a is taken"
    ),
    (
      #"{"routes": [{"path": "/x", "text": "{{component.id}}"}]}"#,
      "routes[0].text: {{component.id}} names no part of a request; did you mean components?"
    ),
    (
      #"{"routes": [{"path": "/x/{id}", "json": {"a": ["{{components.i}}"]}}]}"#,
      "routes[0].json.a[0]: {{components.i}}: the path has {id}"
    ),
    (#"{"routes": [{"path": "/x", "json": "{{components.i}}"}]}"#, "the path has no parameters"),
    (
      #"{"routes": [{"path": "/x", "text": "{{"}]}"#,
      "{{ without }}; if {{ is meant literally, add \"template\": false"
    ),
    (
      #"{"routes": [{"path": "/x", "headers": {"A": "{{#query}}"}}]}"#,
      "routes[0].headers.A: {{#query}} is never closed"
    ),
    (
      #"{"routes": [{"path": "/x", "when": {"qery": {}}}]}"#,
      "routes[0].when.qery: unknown member; did you mean query?"
    ),
    (
      #"{"routes": [{"path": "/x", "when": {"query": {"a": null}}}]}"#,
      "routes[0].when.query.a: must be a text"
    ),
    (
      #"{"routes": [{"path": "/x", "when": {"query": {"a": {"contain": "b"}}}}]}"#,
      "when.query.a.contain: unknown member; did you mean contains?"
    ),
    (
      #"{"routes": [{"path": "/x", "when": {"jsonPath": {"user": 1}}}]}"#,
      "when.jsonPath.user: \"user\" is no JSON path"
    ),
    (
      #"{"routes": [{"path": "/x", "when": {"jsonPath": {"$.a": {}}}}]}"#,
      "when.jsonPath.$.a: needs one of contains, startsWith, endsWith, exists"
    ),
    (
      #"{"routes": [{"path": "/x", "when": {"jsonPath": {"$.a": [[]]}}}]}"#,
      "when.jsonPath.$.a: must be a list of plain values"
    ),
    (#"{"routes": [{"path": "/x", "path": "/y"}]}"#, "routes[0]: has \"path\" twice"),
    (#"{"routes": [{"path": 1}, {"path": 2}, {"path": 3}]}"#, "(and 2 more: tapedeck lint o.json tells all)"),
  ])
  func `says where it is wrong, and how`(_ text: String, problem: String) {
    #expect {
      _ = try load(text)
    } throws: { error in
      "\(error)".hasPrefix("o.json:") && "\(error)".contains(problem)
    }
    #expect(!OverridesCheck(Array(text.utf8), of: overridesFile()).problems.isEmpty)
  }

  @Test func `what is wrong with several rules is told of each`() {
    let text =
      "{\"routes\": [\n{\"path\": 1},\n{\"path\": \"/a\"},\n{\"path\": \"/b\", \"status\": 1}], \"patches\": 1}"
    let check = OverridesCheck(Array(text.utf8), of: overridesFile())
    #expect(
      check.problems.map { "\($0.line):\($0.column): \($0.text)" } == [
        "2:2: routes[0].path: must be a text",
        "4:16: routes[2].status: must be a whole number from 200 to 999", "4:31: patches: must be a list",
      ])
    #expect(check.ruleCount == 1)
    #expect(OverridesCheck(Array("{}".utf8), of: overridesFile()).problems == [])
  }

  @Test func `a wrong file changes nothing`() throws {
    let overrides = try load(#"{"routes": [{"path": "/a", "text": "a"}]}"#)
    #expect(throws: OverridesFileError.self) {
      try overrides.take(#"{"routes": [{"path": "/b"}, {"path": 1}]}"#)
    }
    #expect(overrides.rules(.routes).map(\.declaration) == [["path": "/a", "text": "a"]])
  }

  @Test func `rules that were put by hand stay when the file is read anew`() throws {
    let overrides = try load(#"{"routes": [{"path": "/a"}, {"path": "/b"}]}"#)
    try overrides.put(.routes, ["path": "/c", "id": "mine"])
    try overrides.take(#"{"routes": [{"path": "/d"}]}"#)
    #expect(overrides.rules(.routes).map(\.declaration["path"]?.text) == ["/d", "/c"])
    #expect(overrides.rules(.routes).map(\.isFromFile) == [true, false])
  }

  @Test func `a rule from elsewhere names no files`() {
    #expect(throws: OverrideProblem("file", "only an overrides file may name files; give the content itself"))
    {
      try Overrides().put(.routes, ["path": "/a", "file": "a.json"])
    }
  }

  @Test(arguments: [
    ("{}", "no rules"), (#"{"routes": [{"path": "/"}]}"#, "1 route"),
    (#"{"routes": [{"path": "/"}, {"path": "/a"}], "resources": [{"path": "/b"}]}"#, "2 routes, 1 resource"),
  ]) func `says in a few words what is in it`(_ text: String, summary: String) throws {
    #expect(try overridesFile().document(Array(text.utf8)).summary == summary)
  }

  @Test(arguments: [
    (#"{"routes": []}"#, true), (#"{"route": 1}"#, true), (#"{"log": {}}"#, false), ("{}", false),
    ("[", false),
    (#"{"http_interactions": []}"#, false), (#"{"request": {}}"#, false), (#"{"mappings": []}"#, false),
  ]) func `is told from files of other tools`(_ text: String, isOne: Bool) {
    #expect(OverridesCheck.isOverrides(Array(text.utf8)) == isOne)
  }

  @Test func `takes every word that its schema knows for made-up members, ids and styles`() throws {
    let schema = Overrides.schema["$defs"]
    let kinds = try #require(schema?["field"]?["oneOf"]?[0]?["enum"]?.array)
    let ids = try #require(schema?["resource"]?["properties"]?["ids"]?["enum"]?.array)
    let styles = try #require(schema?["resource"]?["properties"]?["as"]?["enum"]?.array)
    #expect(kinds.count > 15 && ids.count > 2 && styles.count > 3)
    for kind in kinds {
      let seed: JSONValue = ["count": 1, "fields": ["a": kind]]
      try Overrides().put(.resources, ["path": "/a", "seed": seed])
    }
    for id in ids { try Overrides().put(.resources, ["path": "/a", "ids": id]) }
    for style in styles { try Overrides().put(.resources, ["path": "/a", "as": style]) }
  }

  @Test func `has a schema that stands in the reference too`() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Sources/Tapedeck/Tapedeck.docc/overrides.schema.json")
    let text = String(decoding: Overrides.schema.bytes(.pretty), as: UTF8.self)
    #expect(try String(contentsOf: file, encoding: .utf8) == text, "write it anew: tapedeck schema overrides")
  }
}
