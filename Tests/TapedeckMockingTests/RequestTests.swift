import MockingSupport
import TapedeckHTTP
import TapedeckMocking
import Testing

@Suite struct `D. Requests` {
  @Test func `K89 the body reaches the handler unchanged`() async throws {
    let router = Router()
    router.post("/a") { Response(data: $0.httpBody ?? []) }
    let body: [UInt8] = (0...255).map { $0 }
    let response = try await router.respond(to: Request("/a", method: .post, body: body))
    #expect(response?.body == body)
    #expect(Request("/a").httpBody == nil)
  }

  @Test func `K90 header fields reach the handler`() async throws {
    let router = Router()
    router.get("/a") { Response(text: $0.httpHeaders["Authorization"] ?? "none") }
    #expect(try await router.text("/a", headers: ["Authorization": "Bearer x"]) == "Bearer x")
  }

  @Test func `K91 without header fields there is an empty collection`() {
    #expect(Request("/a").httpHeaders.isEmpty)
    #expect(Request("/a").httpHeaders == [:])
  }

  @Test func `K92 components and query are there`() throws {
    let request = try #require(matched("", "/users/:id", "/users/7?x=1&y"))
    #expect(request.components == ["id": "7"])
    #expect(request.queryParameters.map(\.name) == ["x", "y"])
  }

  @Test func `K94 method, URL and host are there, and fields regardless of case`() {
    let request = Request(
      "https://User@API.test.com:8443/a%20b/c?d=e#f", method: .put,
      headers: ["X-One": "1", "x-one": "2", "Accept": "*/*"])
    #expect(request.method == .put)
    #expect(request.url == "https://api.test.com:8443/a%20b/c?d=e")
    #expect(
      (request.scheme, request.host, request.port, request.path) == (
        "https", "api.test.com", 8443, "/a%20b/c"
      ))
    #expect(request.header("ACCEPT") == "*/*")
    #expect(request.httpHeaders["x-ONE"] == "1")
    #expect(request.httpHeaders.values(of: "X-one") == ["1", "2"])
    #expect(request.httpHeaders["Missing"] == nil)
  }

  @Test func `K94 a request can be made, for the test of a handler`() throws {
    let handler: RouteHandler = { ["hello": $0.components["name"]!] }
    let answer = try handler(Request("http://test.com/hello/Ada", components: ["name": "Ada"]))
    #expect(answer?.serialized() == ["hello": "Ada"])
  }

  @Test func `a URL is taken as it comes`() {
    #expect(Request("http://test.com").http.target == Array("/".utf8))
    #expect(Request("http://test.com?a=b").http.target == Array("/?a=b".utf8))
    #expect(Request("http://[::1]:80/x").host == "[::1]")
    #expect(Request("http://test.com/ä b/{x}?q=\"").http.targetText == "/%C3%A4%20b/%7Bx%7D?q=%22")
  }

  struct Post: Decodable, Equatable {
    var text: String
    var tags: [String]?
    var count: Int
  }

  private func request(_ body: String, type: String = "application/json") -> Request {
    Request("/a", method: .post, headers: ["content-type": type], body: Array(body.utf8))
  }

  @Test func `K95 a JSON body`() throws {
    let good = request(#"{"text": "hi", "count": 3, "tags": ["a"]}"#)
    #expect(try good.json()["text"]?.text == "hi")
    #expect(try good.decode(Post.self) == Post(text: "hi", tags: ["a"], count: 3))
    #expect(throws: JSONError.self) { try request("{").json() }
    #expect(throws: JSONError.self) { try request("").decode(Post.self) }
    #expect {
      try request(#"{"text": "hi", "count": "3"}"#).decode(Post.self)
    } throws: { error in
      "\(error)".contains(#"$.count is "3", and a whole number"#)
    }
  }

  @Test func `K95 a form`() {
    let form = request(
      "name=Ada+L&lang=caf%C3%A9&x=1&x=2&flag", type: "application/x-www-form-urlencoded")
    #expect(
      form.form == [
        QueryItem(name: "name", value: "Ada L"), QueryItem(name: "lang", value: "café"),
        QueryItem(name: "x", value: "1"), QueryItem(name: "x", value: "2"),
        QueryItem(name: "flag", value: nil),
      ])
    #expect(form.formValue("x") == "1")
    #expect(form.multipart == nil)
  }

  private static let multipart =
    "preamble\r\n--b1\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nHello\r\nyou\r\n"
    + "--b1 \r\ncontent-disposition: form-data; name=file; filename=\"a \\\"b\\\".txt\"\r\n"
    + "Content-Type: text/plain\r\n\r\n--b2\r\n\r\n--b1\r\n\r\nno head\r\n--b1--\r\nepilogue"

  @Test func `K95 a multipart form`() throws {
    let request = request(Self.multipart, type: "multipart/form-data; charset=x; boundary=\"b1\"")
    let parts = try #require(request.multipart)
    #expect(parts.count == 3)
    #expect(parts[0].name == "title")
    #expect(parts[0].text == "Hello\r\nyou")
    #expect(parts[1].name == "file")
    #expect(parts[1].filename == "a \"b\".txt")
    #expect(parts[1].contentType == "text/plain")
    #expect(parts[1].text == "--b2\r\n")
    #expect(parts[2].text == "no head")
    #expect(request.formValue("title") == "Hello\r\nyou")
  }

  @Test func `K95 a multipart form that was cut is none`() {
    let type = "multipart/form-data; boundary=b1"
    #expect(request(Self.multipart, type: type).multipart?.count == 3)
    let end = Self.multipart.utf8.count - "--\r\nepilogue".utf8.count
    for length in 0..<end {
      let cut = String(decoding: Self.multipart.utf8.prefix(length), as: UTF8.self)
      #expect(request(cut, type: type).multipart == nil, "cut at \(length)")
    }
    #expect(request(Self.multipart, type: "multipart/form-data").multipart == nil)
  }
}
