import RecordingTestSupport
import TapedeckHTTP
import Testing

@testable import TapedeckFormats
@testable import TapedeckMaintenance
@testable import TapedeckRecording
@testable import TapedeckRedaction

/// A session of lines like `POST /users {"n": 1} -> 201 {"id": 1}`, one a millisecond.
private func promotion(_ lines: [String]) -> Promotion {
  Promotion(
    lines.enumerated().map { index, line in
      let sides = line.split(separator: " -> ", maxSplits: 1).map(String.init)
      let asked = sides[0].split(separator: " ", maxSplits: 2).map(String.init)
      let received = (sides.count > 1 ? sides[1] : "200").split(separator: " ", maxSplits: 1).map(String.init)
      return PromotedExchange(
        request: HTTPRequest(
          HTTPMethod(rawValue: asked[0]), asked[1], body: asked.count > 2 ? Array(asked[2].utf8) : []),
        status: Int(received[0]) ?? 0, response: received.count > 1 ? Array(received[1].utf8) : nil,
        file: "\(index)", at: index)
    })
}

private func declaration(_ lines: [String], _ id: String) throws -> JSONValue {
  try #require(promotion(lines).resources.first { $0.id == id }).declaration
}

@Suite struct `A recording promoted` {
  /// Sessions, and what is declared of them.
  @Test(arguments: [
    (
      ["GET /users -> 200 [{\"id\":1},{\"id\":2}]", "GET /users/1 -> 200 {\"id\":1,\"n\":\"a\"}"],
      #"{"id":"users","path":"/users","seed":[{"id":1,"n":"a"},{"id":2}]}"#
    ),
    (
      ["GET /api/v2/users/7 -> 200 {\"data\":{\"_id\":\"7\"},\"ok\":true}"],
      #"{"id":"users","path":"/api/v2/users","idMember":"_id","envelope":{"item":{"data":"{{item}}","ok":true}},"#
        + #""seed":[{"_id":"7"}]}"#
    ),
    (
      ["GET /users/octocat -> 200 {\"login\":\"octocat\",\"id\":583231}"],
      #"{"id":"users","path":"/users","idMember":"login","seed":[{"login":"octocat","id":583231}]}"#
    ),
    (
      [
        "GET /a -> 200 {\"total\":3,\"page\":1,\"items\":[{\"id\":1},{\"id\":2}],\"v\":4}",
        "GET /a?page=2 -> 200 {\"total\":3,\"page\":2,\"items\":[{\"id\":3}],\"v\":4}",
      ],
      #"{"id":"a","path":"/a","pages":{"standardSize":2,"always":true},"envelope":{"list":{"total":"{{total}}","#
        + #""page":"{{page}}","items":"{{items}}","v":4}},"seed":[{"id":1},{"id":2},{"id":3}]}"#
    ),
    (
      [
        "GET /a -> 200 [{\"id\":1}]", "POST /a {\"n\":1} -> 200 {\"id\":2,\"n\":1,\"x\":[],\"url\":\"/a/2\"}",
        "GET /a -> 200 [{\"id\":2,\"n\":1},{\"id\":1}]", "DELETE /a/2 -> 200 {\"gone\":2}",
        "DELETE /a/2 -> 404 {\"e\":\"no 2\"}",
      ],
      #"{"id":"a","path":"/a","newest":"first","nextIDs":[2],"defaults":{"x":[],"url":"/a/{{id}}"},"#
        + #""answers":{"create":{"status":200},"delete":{"status":200,"body":{"gone":2}},"missing":{"body":{"e":"no {{id}}"}}},"#
        + #""seed":[{"id":1}]}"#
    ),
    (
      [
        "GET /a/1 -> 200 {\"id\":1,\"n\":\"old\"}",
        "PUT /a/1 {\"n\":\"new\"} -> 200 {\"id\":1,\"n\":\"new\"}",
        "GET /a/1 -> 200 {\"id\":1,\"n\":\"new\"}", "DELETE /a/9 -> 204",
      ],
      #"{"id":"a","path":"/a","seed":[{"id":1,"n":"old"},{"id":9}]}"#
    ),
    (
      [
        "GET /posts/3/comments -> 200 [{\"id\":1,\"postId\":3}]",
        "GET /posts/4/comments -> 200 [{\"id\":2,\"postId\":4}]",
      ],
      #"{"id":"comments","path":"/posts/{postId}/comments","seed":[{"id":1,"postId":3},{"id":2,"postId":4}]}"#
    ),
    (
      ["GET /repos/11/issues -> 200 [{\"id\":1}]"],
      #"{"id":"issues","path":"/repos/{repoId}/issues","hidden":["repoId"],"seed":[{"id":1,"repoId":"11"}]}"#
    ),
    (
      ["GET /a?q=x -> 200 [{\"id\":1}]", "GET /a?id=1&sort=-id -> 200 [{\"id\":1}]"],
      #"{"id":"a","path":"/a","passes":["q"],"seed":[{"id":1}]}"#
    ),
  ])
  func `is declared as it behaved`(_ lines: [String], expected: String) throws {
    let found = promotion(lines).resources
    #expect(found.map { "\($0.declaration)" } == [expected])
  }

  @Test func `tells elements of lists in other objects, and responses that are the object around`() throws {
    let lines = [
      "GET /posts/1 -> 200 {\"id\":\"1\",\"t\":\"a\",\"comments\":[]}",
      "POST /posts/1/comments {\"x\":1} -> 200 {\"id\":\"1\",\"t\":\"a\",\"comments\":[{\"id\":\"50\",\"x\":1,\"post\":\"1\",\"likes\":[]}]}",
      "POST /like/comment/50/likes -> 200 {\"id\":\"50\",\"x\":1,\"post\":\"1\",\"likes\":[{\"id\":\"51\"}]}",
      "DELETE /posts/1/comments/50 -> 200 {\"id\":\"1\",\"t\":\"a\",\"comments\":[]}",
    ]
    #expect(promotion(lines).resources.map(\.id) == ["posts", "likes", "comments"])
    #expect(
      try "\(declaration(lines, "comments"))"
        == #"{"id":"comments","path":"/posts/{postId}/comments","within":{"resource":"posts","member":"comments"},"#
        + #""only":["create","delete"],"ids":"text","nextIDs":["50"],"defaults":{"post":"1","likes":[]},"#
        + #""answers":{"create":{"status":200,"body":"{{parent}}"},"delete":{"status":200,"body":"{{parent}}"}}}"#
    )
    #expect(try declaration(lines, "likes")["within"] == ["resource": "comments", "member": "likes"])
  }

  @Test func `knows a list that stands at another path`() throws {
    let lines = [
      "GET /users/9/feed -> 200 [{\"id\":\"1\",\"t\":\"a\"},{\"id\":\"2\",\"t\":\"b\"}]",
      "GET /post/2 -> 200 {\"id\":\"2\",\"t\":\"b\"}",
    ]
    let resources = promotion(lines).resources
    #expect(resources.map(\.path) == ["/post"])
    #expect(try declaration(lines, "post")["lists"] == ["/users/{_userId}/feed"])
    #expect(try declaration(lines, "post")["seed"]?.array?.count == 2)
  }

  @Test(arguments: [
    [], ["GET / -> 200 []"], ["GET /a -> 200 [1,2]"], ["GET /a -> 200 [[]]"], ["GET /a -> 500 [{\"id\":1}]"],
    ["GET /health -> 200 {\"ok\":true}"], ["POST /login {\"u\":1} -> 200 {\"t\":1}"],
    ["GET /a -> 200 [{\"n\":1},{\"n\":1}]"],
    ["GET /a/1 -> 200 {\"id\":2}"], ["GET /a/1 -> 200"], ["PUT /a/1 {} -> 200 {}"], ["DELETE /a/1 -> 204"],
    ["GET /{x}/1 -> 200 {\"id\":1}"], ["GET /a%3Fb/1 -> 200 {\"id\":1}"], ["GET /%ff/1 -> 200 {\"id\":1}"],
  ])
  func `finds nothing where there is nothing`(_ lines: [String]) {
    #expect(promotion(lines).resources.isEmpty)
  }

  @Test func `is surer of more`() throws {
    let lines = [
      "GET /a -> 200 [{\"id\":1}]", "GET /a/1 -> 200 {\"id\":1}", "POST /a {} -> 201 {\"id\":2}",
      "PATCH /a/2 {} -> 200 {\"id\":2}", "DELETE /a/2 -> 204",
    ]
    let confidences = try lines.indices.map {
      try #require(promotion(Array(lines[...$0])).resources.first).confidence
    }
    #expect(confidences == confidences.sorted())
    #expect((confidences.first, confidences.last) == (0.3, 1))
    let resource = try #require(promotion(Array(lines.prefix(2))).resources.first)
    #expect(resource.seen == ["list", "show"])
    #expect(resource.assumed == ["create", "update", "delete"])
  }

  @Test func `puts exchanges of one millisecond in the order that they must have had`() {
    let texts = [
      ("DELETE", "/a/5", 404, "{}"), ("GET", "/a/5", 200, "{\"id\":5}"), ("DELETE", "/a/5", 204, ""),
      ("POST", "/a", 201, "{\"id\":5}"),
    ]
    let exchanges = texts.map { method, target, status, body in
      PromotedExchange(
        request: HTTPRequest(HTTPMethod(rawValue: method), target), status: status,
        response: Array(body.utf8),
        file: "", at: 7)
    }
    #expect(PromotedExchange.sorted(exchanges).map(\.status) == [201, 200, 204, 404])
  }
}
