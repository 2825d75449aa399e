import TapedeckHTTP
import Testing

@testable import TapedeckProxy

private func load(_ text: String) throws -> Overrides {
  let overrides = Overrides()
  try OverridesFile.load(Array(text.utf8), named: "o.json", into: overrides)
  return overrides
}

private func answer(_ overrides: Overrides, _ request: HTTPRequest) -> HTTPResponse? {
  guard case .response(let response) = RouteRuleResponder(overrides.routes).respond(to: request)?.content
  else { return nil }
  return response
}

@Test func `a route of the file answers as it says`() throws {
  let overrides = try load(
    #"{"routes": [{"method": "POST", "path": "/users/{id}", "status": 503, "headers": {"Retry-After": "1"}, "json": {"a": [1.0]}}]}"#
  )
  let response = try #require(answer(overrides, HTTPRequest(.post, "/users/7?x")))
  #expect(response.head.status == 503)
  #expect(response.head.fields.text("retry-after") == "1")
  #expect(response.head.fields.text("content-type") == "application/json")
  #expect(response.body == Array(#"{"a":[1.0]}"#.utf8))
  #expect(answer(overrides, HTTPRequest(.get, "/users/7")) == nil)
}

@Test(arguments: [
  ("{", "not JSON"), ("[]", "must be an object"), (#"{"routes": 1}"#, "routes: must be a list"),
  (#"{"routes": [{"path": "x"}]}"#, "routes[0].path"),
  (#"{"routes": [{"path": "/x", "statsu": 1}]}"#, "unknown member \"statsu\""),
  (#"{"routes": [{"path": "/x", "status": 99}]}"#, "routes[0].status"),
  (#"{"routes": [{"path": "/x", "method": "G T"}]}"#, "routes[0].method"),
  (#"{"routes": [{"path": "/x", "headers": {"a\r\nb": "c"}}]}"#, "is not a header name"),
  (#"{"routes": [{"path": "/x", "headers": {"a": "b\r\nc: d"}}]}"#, "control character"),
  (#"{"routes": [{"path": "/{}"}]}"#, "without a name"),
])
func `a wrong file says where and what`(_ text: String, problem: String) {
  #expect {
    _ = try load(text)
  } throws: { error in
    "\(error)".hasPrefix("o.json: ") && "\(error)".contains(problem)
  }
}
