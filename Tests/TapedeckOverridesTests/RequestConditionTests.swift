import TapedeckHTTP
import Testing

@testable import TapedeckOverrides

private func condition(_ when: String) throws -> RequestCondition {
  let json = try JSONValue(parsing: Array(#"{"path": "/", "when": \#(when)}"#.utf8))
  var reader = try RuleReader(json, at: "")
  return try RequestCondition(&reader)
}

private func obstacle(_ when: String, _ request: HTTPRequest) throws -> String? {
  try condition(when).obstacle(OverrideRequest(request))
}

@Suite struct `Request conditions` {
  @Test(arguments: [
    (#"{"page": "2"}"#, "page=2", true), (#"{"page": "2"}"#, "page=1&page=2", true),
    (#"{"page": 2}"#, "page=2", true),
    (#"{"page": "2"}"#, "page=1", false), (#"{"page": "2"}"#, "", false),
    (#"{"Page": "2"}"#, "page=2", false),
    (#"{"page": ["1", "2"]}"#, "page=2", true), (#"{"page": true}"#, "page", true),
    (#"{"page": true}"#, "x", false),
    (#"{"page": false}"#, "x=1", true), (#"{"page": false}"#, "page=", false),
    (#"{"page": ""}"#, "page", true),
    (#"{"q": "a b"}"#, "q=a+b", true), (#"{"q": "a b"}"#, "q=a%20b", true),
    (#"{"q": "a+b"}"#, "q=a%2Bb", true),
    (#"{"q": {"contains": "b"}}"#, "q=abc", true), (#"{"q": {"startsWith": "b"}}"#, "q=abc", false),
    (#"{"q": {"endsWith": "c"}}"#, "q=abc", true), (#"{"a": "1", "b": "2"}"#, "a=1", false),
    (#"{"filter[name]": "é"}"#, "filter%5Bname%5D=%C3%A9", true),
  ]) func `on the query`(_ query: String, target: String, holds: Bool) throws {
    let when = #"{"query": \#(query)}"#
    #expect((try obstacle(when, HTTPRequest(.get, "/?\(target)")) == nil) == holds)
  }

  @Test(arguments: [
    (#""api.test""#, HTTPScheme.https, "api.test", true), (#""API.Test""#, .http, "api.tEST:80", true),
    (#""api.test""#, .https, "api.test:8443", true), (#""api.test:443""#, .https, "api.test", true),
    (#""api.test:443""#, .http, "api.test", false), (#""*.test""#, .https, "a.b.test", true),
    (#""*.test""#, .https, "test", false), (#"["a.test", "[::1]:9"]"#, .http, "[::1]:9", true),
    (#""*""#, .http, "", false),
  ]) func `on the host`(_ host: String, scheme: HTTPScheme, authority: String, holds: Bool) throws {
    var request = HTTPRequest(.get, "/")
    (request.scheme, request.authority) = (scheme, Array(authority.utf8))
    #expect((try obstacle(#"{"host": \#(host)}"#, request) == nil) == holds)
  }

  @Test func `on the host says what is wanted`() throws {
    let found = try obstacle(#"{"host": ["api.test", "*.Example.com"]}"#, HTTPRequest(.get, "/"))
    #expect(found == "host is api.test or *.example.com")
  }

  @Test(arguments: ["1", "[]", "[1]", #""https://a""#, #""a/b""#, #""a:b""#, #""a]""#, #"{"contains": "a"}"#])
  func `on the host takes hosts only`(_ host: String) {
    #expect(throws: OverrideProblem.self) { try condition(#"{"host": \#(host)}"#) }
  }

  @Test(arguments: [
    (#"{"x-mark": "a"}"#, true), (#"{"X-MARK": "a"}"#, true), (#"{"X-Mark": "b"}"#, true),
    (#"{"X-Mark": "A"}"#, false),
    (#"{"X-Mark": "a, b"}"#, false), (#"{"X-Other": false}"#, true), (#"{"X-Other": true}"#, false),
    (#"{"Accept": {"contains": "json"}}"#, true),
  ]) func `on header fields, whose names have no case`(_ headers: String, holds: Bool) throws {
    var fields = HTTPFields()
    for (name, value) in [("X-Mark", "a"), ("x-mark", "b"), ("Accept", "application/json")] {
      try fields.append(name, value)
    }
    let when = #"{"headers": \#(headers)}"#
    #expect((try obstacle(when, HTTPRequest(.get, "/", fields: fields)) == nil) == holds)
  }

  @Test(arguments: [
    (#"{"json": {"user": {"role": "admin"}}}"#, true), (#"{"json": {"user": {"role": "adm"}}}"#, false),
    (#"{"json": {}}"#, true), (#"{"json": []}"#, false), (#"{"json": {"list": [1, 2.0]}}"#, true),
    (#"{"json": {"list": [1]}}"#, false), (#"{"json": {"list": [2, 1]}}"#, false),
    (#"{"json": {"nil": null}}"#, true),
    (#"{"json": {"none": null}}"#, false), (#"{"json": {"big": 9007199254740993}}"#, true),
    (#"{"json": {"big": 9007199254740992}}"#, false), (#"{"json": {"user": {"n": 1}}}"#, true),
    (#"{"jsonPath": {"$.user.role": "admin"}}"#, true),
    (#"{"jsonPath": {"$.user.role": ["guest", "admin"]}}"#, true),
    (#"{"jsonPath": {"$.user.n": 1}}"#, true), (#"{"jsonPath": {"$.user.n": "1.0"}}"#, false),
    (#"{"jsonPath": {"$.on": true}}"#, true), (#"{"jsonPath": {"$.on": false}}"#, false),
    (#"{"jsonPath": {"$.nil": null}}"#, true), (#"{"jsonPath": {"$.none": null}}"#, false),
    (#"{"jsonPath": {"$.none": {"exists": false}}}"#, true),
    (#"{"jsonPath": {"$.nil": {"exists": true}}}"#, true),
    (#"{"jsonPath": {"$.user": {"exists": false}}}"#, false), (#"{"jsonPath": {"$.list[*]": 2}}"#, true),
    (#"{"jsonPath": {"$.list[-1]": 1}}"#, false), (#"{"jsonPath": {"$..role": {"startsWith": "ad"}}}"#, true),
    (#"{"jsonPath": {"$.list[0]": {"contains": "1"}}}"#, false),
    (#"{"body": {"contains": "\"admin\""}}"#, true), (#"{"body": {"startsWith": "["}}"#, false),
    (#"{"body": true}"#, true),
    (#"{"body": false}"#, false),
  ]) func `on a body of JSON`(_ when: String, holds: Bool) throws {
    let body =
      #"{"user": {"role": "admin", "n": 1.0}, "list": [1, 2], "nil": null, "on": true, "big": 9007199254740993}"#
    #expect((try obstacle(when, HTTPRequest(.post, "/", body: Array(body.utf8))) == nil) == holds)
  }

  @Test(arguments: [
    (#"{"form": {"grant_type": "refresh"}}"#, true), (#"{"form": {"name": "A B"}}"#, true),
    (#"{"form": {"x": true}}"#, false),
    (#"{"json": {}}"#, false), (#"{"jsonPath": {"$.a": {"exists": false}}}"#, true),
    (#"{"body": {"endsWith": "B"}}"#, true),
  ]) func `on a form`(_ when: String, holds: Bool) throws {
    let request = HTTPRequest(.post, "/", body: Array("grant_type=refresh&name=A+B".utf8))
    #expect((try obstacle(when, request) == nil) == holds)
  }

  @Test(arguments: [
    (#"{"query": {"page": "2"}}"#, #"query page is "2""#),
    (#"{"headers": {"A": true}}"#, "header A is there"),
    (#"{"form": {"a": {"contains": "b"}}}"#, #"form field a contains "b""#),
    (#"{"body": "x"}"#, #"body is "x""#),
    (#"{"json": {"a": 1}}"#, #"body holds {"a":1}"#),
    (#"{"jsonPath": {"$.a": [1, null]}}"#, "body $.a is 1 or null"),
    (#"{"jsonPath": {"$.a": {"exists": true}}}"#, "body $.a is there"),
  ]) func `say what stands in the way`(_ when: String, expected: String) throws {
    #expect(try obstacle(when, HTTPRequest(.get, "/")) == expected)
  }
}
