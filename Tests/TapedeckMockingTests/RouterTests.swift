import TapedeckHTTP
import TapedeckMocking
import Testing

private func text(_ router: Router, _ method: HTTPMethod, _ target: String) throws -> String? {
  try router.respond(to: HTTPRequest(method, target)).map { String(decoding: $0.body, as: UTF8.self) }
}

private func says(_ text: String) -> RouteHandler { { _ in Response(body: .text(text)) } }

@Test func `holes catch decoded segments`() throws {
  let router = Router()
  try router.get("/users/:id/posts/{post}") { request in
    Response(body: .text("\(request.components["id"] ?? "")|\(request.components["post"] ?? "")"))
  }
  try router.get("/files/*rest") { Response(body: .text($0.components["rest"] ?? "")) }
  #expect(try text(router, .get, "/users/a%20b/posts/2?x=/y") == "a b|2")
  #expect(try text(router, .get, "/users/1/posts") == nil)
  #expect(try text(router, .get, "/files/a/b%2Fc") == "a/b/c")
}

@Test func `the more specific route wins, whatever the order`() throws {
  let (one, other) = (Router(), Router())
  for router in [one] {
    try router.get("/users/{id}", handler: says("any"))
    try router.get("/users/me", handler: says("me"))
    try router.get("/*", handler: says("rest"))
  }
  try other.get("/*", handler: says("rest"))
  try other.get("/users/me", handler: says("me"))
  try other.get("/users/{id}", handler: says("any"))
  for router in [one, other] {
    #expect(try text(router, .get, "/users/me") == "me")
    #expect(try text(router, .get, "/users/1") == "any")
    #expect(try text(router, .get, "/x/y") == "rest")
  }
}

@Test func `registering again replaces, and nil declines`() throws {
  let router = Router()
  try router.get("/a", handler: says("old"))
  try router.get("/a", handler: says("new"))
  #expect(try text(router, .get, "/a") == "new")
  #expect(try text(router, .post, "/a") == nil)
  try router.get("/a") { _ in nil }
  #expect(try text(router, .get, "/a") == nil)
}

@Test(arguments: ["/{}", "/:", "/*rest/more"])
func `a pattern that makes no sense is refused`(_ pattern: String) {
  #expect(throws: PathPatternError.self) { try Router().get(pattern, handler: says("")) }
}
