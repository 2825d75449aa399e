import TapedeckHTTP
import Testing

@testable import TapedeckOverrides

private func routes(_ text: String) throws -> RuleList<RequestRule<RouteEffect>> {
  let overrides = Overrides()
  try overrides.take(#"{"routes": [\#(text)]}"#)
  return overrides.routes
}

private func request(
  _ method: HTTPMethod = .get, _ target: String = "/", _ headers: [(String, String)] = [], body: String = ""
) throws -> HTTPRequest {
  var fields = HTTPFields()
  for (name, value) in headers { try fields.append(name, value) }
  return HTTPRequest(method, target, fields: fields, body: Array(body.utf8))
}

private func response(_ rules: RuleList<RequestRule<RouteEffect>>, _ request: HTTPRequest) -> HTTPResponse? {
  switch rules.index?.response(to: request, rules.state)?.content {
  case .response(let response): response
  case .prepared(let prepared): prepared.response
  case .stream, nil: nil
  }
}

private func text(_ rules: RuleList<RequestRule<RouteEffect>>, _ request: HTTPRequest) -> String? {
  response(rules, request).map { String(decoding: $0.body, as: UTF8.self) }
}

@Suite struct `Declared routes` {
  @Test func `answer as they say`() throws {
    let rules = try routes(
      #"{"method": "POST", "path": "/users/{id}", "status": 503, "headers": {"Retry-After": "1", "Set-Cookie": ["a=1", "b=2"]}, "json": {"a": [1.0]}}"#
    )
    let answer = try #require(response(rules, request(.post, "/users/7?x")))
    #expect(answer.head.status == 503)
    #expect(answer.head.fields.text("retry-after") == "1")
    #expect(
      answer.head.fields.values(of: "set-cookie").map { String(decoding: $0, as: UTF8.self) } == [
        "a=1", "b=2",
      ])
    #expect(answer.head.fields.text("content-type") == "application/json")
    #expect(answer.body == Array(#"{"a":[1.0]}"#.utf8))
    #expect(response(rules, try request(.get, "/users/7")) == nil)
  }

  @Test(arguments: [
    (#"{"path": "/a"}"#, "GET HEAD"), (#"{"path": "/a", "method": "get"}"#, "GET HEAD"),
    (#"{"path": "/a", "method": "*"}"#, "GET HEAD POST PATCH"),
    (#"{"path": "/a", "method": "HEAD"}"#, "HEAD"),
    (#"{"path": "/a", "method": ["POST", "patch"]}"#, "POST PATCH"),
  ]) func `a route for GET answers HEAD too`(_ route: String, methods: String) throws {
    let rules = try routes(route)
    let answered = try ["GET", "HEAD", "POST", "PATCH"].filter {
      response(rules, try request(HTTPMethod(rawValue: $0), "/a")) != nil
    }
    #expect(answered.joined(separator: " ") == methods)
  }

  @Test(arguments: [
    (
      #""text": "{{components.id}} {{query.page}} {{query.none}}|{{headers.x-mark}} {{headers.X-Mark}}""#,
      "a b 2 |m m"
    ),
    (#""text": "{{method}} {{path}}""#, "POST /users/a%20b"),
    (#""text": "{{body.user.name}} {{body.list.1}}""#, "Ann 2"),
    (#""text": "{{#body.list}}<{{.}}>{{/body.list}}{{^body.none}}!{{/body.none}}""#, "<1><2>!"),
    (#""text": "{{#body.user}}{{name}} {{query.page}}{{/body.user}}""#, "Ann 2"),
    (#""text": "{{body.user}}""#, #"{"name":"Ann","age":1.50}"#), (#""text": "{{{query.q}}}""#, "a+b c"),
    (#""text": "{{components.id}}", "template": false"#, "{{components.id}}"),
    (#""json": "{{components.id}}""#, #""a b""#), (#""json": {"page": "{{query.page}}"}"#, #"{"page":"2"}"#),
    (#""json": {"n": "{{body.user.age}}", "t": "{{body.user.age}}!"}"#, #"{"n":1.50,"t":"1.50!"}"#),
    (
      #""json": ["{{body.list}}", "{{body.none}}", "{{ body.user }}"]"#,
      #"[[1,2],null,{"name":"Ann","age":1.50}]"#
    ),
    (#""json": {"a": "{{query.quote}}"}"#, #"{"a":"\""}"#),
    (#""json": {"{{query.page}}": 1}"#, #"{"{{query.page}}":1}"#),
    (#""json": "{{components}}""#, #"{"id":"a b"}"#),
    (#""json": "{{query}}""#, #"{"page":"2","q":"a+b c","quote":"\""}"#),
    (#""json": "{{body.list.9}}""#, "null"),
    (#""json": {"a": 1e2, "b": "\u0041"}"#, #"{"a":1e2,"b":"\u0041"}"#),
  ]) func `take values from the request`(_ body: String, expected: String) throws {
    let rules = try routes(#"{"method": "POST", "path": "/users/{id}", \#(body)}"#)
    let asked = try request(
      .post, "/users/a%20b?page=2&page=3&q=a%2Bb+c&quote=%22", [("X-Mark", "m")],
      body: #"{"user": {"name": "Ann", "age": 1.50}, "list": [1, 2]}"#)
    #expect(text(rules, asked) == expected)
  }

  @Test func `take values from forms and from bodies that are no JSON`() throws {
    let rules = try routes(#"{"method": "*", "path": "/", "text": "{{form.name}}|{{body}}|{{body.name}}"}"#)
    #expect(text(rules, try request(.post, "/", body: "name=Ann+B&x")) == "Ann B|name=Ann+B&x|")
    #expect(text(rules, try request(.post, "/")) == "||")
  }

  @Test func `nothing a client sends ends a header line`() throws {
    let rules = try routes(
      #"{"path": "/go/{to}", "status": 302, "headers": {"Location": "/{{components.to}}"}}"#)
    let fields = try #require(response(rules, request(.get, "/go/a%0d%0aX-Evil:%201%7f"))).head.fields
    #expect(fields.map { String(decoding: $0.value, as: UTF8.self) } == ["/a  X-Evil: 1"])
  }

  @Test(arguments: [
    ("", "1 2 3 3 3"), (#", "onEnd": "repeat""#, "1 2 3 3 3"), (#", "onEnd": "loop""#, "1 2 3 1 2"),
    (#", "onEnd": "pass""#, "1 2 3 - -"), (#", "times": 2"#, "1 2 - - -"), (#", "after": 1"#, "- 1 2 3 3"),
    (#", "on": [2, 4, 5]"#, "- 1 - 2 3"), (#", "onEnd": "pass", "on": [1, 3, 4, 5]"#, "1 - 2 3 -"),
  ]) func `several answers come in turn`(_ rest: String, expected: String) throws {
    let rules = try routes(
      #"{"path": "/", "sequence": [{"text": "1"}, {"text": "2"}, {"text": "3"}]\#(rest)}"#)
    for list in [rules, rules.fresh()] {
      let texts = try (1...5).map { _ in text(list, try request()) ?? "-" }
      #expect(texts.joined(separator: " ") == expected)
    }
  }

  @Test func `delays come out of the range, the same in every run`() throws {
    let rules = try routes(#"{"path": "/", "delay": {"min": 0.1, "max": 0.3}, "seed": 7}"#)
    func delays(_ rules: RuleList<RequestRule<RouteEffect>>) throws -> [Int64] {
      try (1...50).map { _ in
        try #require(rules.index?.response(to: request(), rules.state)).delayNanoseconds
      }
    }
    let first = try delays(rules)
    #expect(first.allSatisfy { (100_000_000...300_000_000).contains($0) })
    #expect(Set(first).count > 40)
    #expect(try delays(rules.fresh()) == first)
  }

  @Test func `a delay does not depend on the dice that let it act`() throws {
    let rules = try routes(#"{"path": "/", "delay": {"min": 0, "max": 1}, "probability": 0.1, "seed": 1}"#)
    let delays = try (1...2000).compactMap { _ in
      rules.index?.response(to: try request(), rules.state)?.delayNanoseconds
    }
    #expect((100...300).contains(delays.count))
    #expect(delays.contains { $0 > 500_000_000 })
  }

  @Test(arguments: [204, 304]) func `answers that have no body get none`(_ status: Int) throws {
    let rules = try routes(#"{"path": "/", "status": \#(status), "json": {"a": 1}}"#)
    #expect(text(rules, try request()) == "")
  }

  @Test func `HEAD gets the head alone`() throws {
    let constant = try routes(#"{"path": "/", "json": {"a": 1}}"#)
    let answer = try #require(response(constant, request(.head)))
    #expect(answer.body.isEmpty)
    #expect(answer.head.fields.text("content-type") == "application/json")
  }

  @Test func `of two for a path the one that asks for more goes first, then the later one`() throws {
    let rules = try routes(
      #"{"path": "/a", "when": {"query": {"x": "1"}}, "text": "x"}, {"path": "/a", "text": "first"}, {"path": "/a", "text": "second"}, {"path": "/{any}", "text": "any"}"#
    )
    #expect(text(rules, try request(.get, "/a?x=1")) == "x")
    #expect(text(rules, try request(.get, "/a")) == "second")
    #expect(text(rules, try request(.get, "/b")) == "any")
  }
}
