import TapedeckHTTP
import Testing

@testable import TapedeckOverrides

/// Resources of one session, to be asked.
struct ResourceServer {
  let overrides = Overrides()

  /// - Parameter resources: the members of one resource in JSON, or of several.
  init(_ resources: String...) throws { try load(resources) }

  func load(_ resources: [String]) throws {
    let text = "{\"resources\": [\(resources.joined(separator: ", "))]}"
    try overrides.take(text)
  }

  func ask(
    _ method: HTTPMethod, _ target: String, _ body: String = ""
  ) throws -> (status: Int, fields: HTTPFields, body: String) {
    let answer = try overrides.resourceLink?.respond(
      to: HTTPRequest(method, target, body: Array(body.utf8)), decisions: nil)
    guard case .response(let response) = answer?.content else { throw Nobody() }
    return (response.head.status, response.head.fields, String(decoding: response.body, as: UTF8.self))
  }

  struct Nobody: Error {}
}

private let three =
  #"{"path": "/users", "seed": [{"id": 1, "n": "a"}, {"id": 2, "n": "b", "x": true}, {"id": 10, "n": "c"}]}"#

@Suite struct `Resources declared in JSON` {
  @Test func `are served at their hosts, which win over all hosts`() throws {
    let server = try ResourceServer(
      #"{"id": "a", "path": "/users", "when": {"host": "a.test"}, "seed": [{"id": 1, "at": "a"}]}"#,
      #"{"id": "b", "path": "/users", "when": {"host": ["b.test", "*.b.test"]}, "seed": [{"id": 1, "at": "b"}]}"#,
      #"{"id": "all", "path": "/users", "seed": [{"id": 1, "at": "all"}]}"#)
    let link = try #require(server.overrides.resourceLink)
    for (host, owner, declined) in [
      ("a.test", "a", ["store b"]), ("x.b.test", "b", ["store a"]),
      ("c.test", "all", ["store a", "store b"]),
    ] {
      var request = HTTPRequest(.get, "/users/1")
      request.authority = Array(host.utf8)
      let decisions = DecisionCollector()
      let response = try link.respond(to: request, decisions: decisions)
      guard case .response(let content) = response?.content else { throw ResourceServer.Nobody() }
      #expect(String(decoding: content.body, as: UTF8.self) == #"{"id":1,"at":"\#(owner)"}"#)
      #expect(decisions.decisions.all.map(\.name) == declined + ["store \(owner)"])
    }
  }

  @Test func `serve a collection with all that REST does`() throws {
    let server = try ResourceServer(three)
    #expect(try server.ask(.get, "/users/2").body == #"{"id":2,"n":"b","x":true}"#)
    let made = try server.ask(.post, "/users", #"{"n": "d"}"#)
    #expect((made.status, made.body) == (201, #"{"id":11,"n":"d"}"#))
    #expect(made.fields.text("location") == "/users/11")
    #expect(try server.ask(.patch, "/users/2", #"{"n": "B"}"#).body == #"{"id":2,"n":"B","x":true}"#)
    #expect(try server.ask(.put, "/users/2", #"{"n": "B"}"#).body == #"{"id":2,"n":"B"}"#)
    #expect(try server.ask(.delete, "/users/1").status == 204)
    #expect(
      try server.ask(.get, "/users?sort=-id").body
        == #"[{"id":11,"n":"d"},{"id":10,"n":"c"},{"id":2,"n":"B"}]"#)
    #expect(try server.ask(.get, "/users?n=c").body == #"[{"id":10,"n":"c"}]"#)
    #expect(try server.ask(.get, "/users?id=2").body == #"[{"id":2,"n":"B"}]"#)
    let page = try server.ask(.get, "/users?page=2&per_page=2")
    #expect(page.body == #"[{"id":11,"n":"d"}]"#)
    #expect(page.fields.text("x-total-count") == "3")
    #expect(try server.ask(.head, "/users").status == 200)
  }

  @Test(arguments: [
    (HTTPMethod.get, "/users/9", "", 404), (.delete, "/users/9", "", 404), (.put, "/users/9", "{}", 404),
    (.post, "/users", "{", 400), (.post, "/users", "[]", 400), (.post, "/users", "1", 400),
    (.post, "/users", #"{"id": 1}"#, 409), (.post, "/users", #"{"id": "x"}"#, 422),
    (.post, "/users", #"{"id": [1]}"#, 422), (.get, "/users?page=0", "", 400),
    (.get, "/users?sort=no", "", 400),
  ])
  func `refuse as REST does`(_ method: HTTPMethod, _ target: String, _ body: String, status: Int) throws {
    let answer = try ResourceServer(three).ask(method, target, body)
    #expect(answer.status == status)
    #expect(answer.fields.text("content-type") == "application/problem+json")
  }

  @Test func `leave to others what is not theirs`() throws {
    let server = try ResourceServer(
      #"{"path": "/users", "only": ["index", "show"], "except": ["show"], "passes": ["q"]}"#)
    for (method, target) in [
      (HTTPMethod.post, "/users"), (.get, "/users/1"), (.get, "/users?q=a"), (.get, "/"),
    ] {
      #expect(throws: ResourceServer.Nobody.self) { try server.ask(method, target, "{}") }
    }
    #expect(try server.ask(.get, "/users?p=a").body == "[]")
  }

  @Test(arguments: [
    ("", "{}", #"{"id":1}"#), (#", "seed": [{"id": "7"}]"#, "{}", #"{"id":"8"}"#),
    ("", "", #"{"id":1}"#), (#", "ids": "text""#, "{}", #"{"id":"1"}"#),
    (#", "ids": "text""#, #"{"id": 7}"#, #"{"id":"7"}"#),
    (#", "nextIDs": [40, 50]"#, "{}", #"{"id":40}"#), (#", "idMember": "_id""#, "{}", #"{"_id":1}"#),
    (#", "ids": "number""#, #"{"id": "7"}"#, #"{"id":7}"#),
    (#", "defaults": {"a": [], "self": "/x/{{id}}"}"#, #"{"b": 1}"#, #"{"id":1,"a":[],"self":"/x/1","b":1}"#),
    (#", "defaults": {"a": 1}"#, #"{"a": 2, "a": 3}"#, #"{"id":1,"a":3}"#),
    (#", "hidden": ["s"], "defaults": {"s": 1}"#, #"{"s": 2, "a": 1}"#, #"{"id":1,"a":1}"#),
  ])
  func `make new objects`(_ members: String, _ body: String, made: String) throws {
    let server = try ResourceServer("{\"path\": \"/x\"\(members)}")
    #expect(try server.ask(.post, "/x", body).body == made)
  }

  @Test func `go on behind the largest id once those kept for new objects are used up`() throws {
    let server = try ResourceServer(
      #"{"path": "/x", "seed": [{"id": 41}, {"a": 1}], "nextIDs": [7, 41], "newest": "first"}"#)
    for id in [7, 43, 44] { #expect(try server.ask(.post, "/x", "{}").body == "{\"id\":\(id)}") }
    #expect(
      try server.ask(.get, "/x").body == #"[{"id":44},{"id":43},{"id":7},{"id":41},{"id":42,"a":1}]"#)
  }

  @Test(arguments: [
    ("/users", true), ("/users/1?a", true), ("//users//1/", true), ("/us%65rs", true), ("/of/a/users", true),
    ("/", false), ("/usersx", false), ("/of/a", false), ("/users?a", true), ("/user?a=/users", false),
  ])
  func `are looked up only for paths that may be theirs`(_ target: String, isTheirs: Bool) throws {
    let server = try ResourceServer(#"{"path": "/users", "lists": ["/of/{name}/users"]}"#)
    #expect(server.overrides.resources.index?.tree.mayFit(target: Array(target.utf8)) == isTheirs)
    let isServed = (try? server.ask(.get, target)) != nil
    #expect(isTheirs || !isServed)
  }

  @Test func `make UUIDs, the same ones in every run`() throws {
    let declared = #"{"path": "/x", "ids": "uuid"}"#
    let (one, two) = (try ResourceServer(declared), try ResourceServer(declared))
    let made = try one.ask(.post, "/x", "{}").body
    #expect(made.utf8.count == #"{"id":"00000000-0000-4000-8000-000000000000"}"#.utf8.count)
    #expect(try two.ask(.post, "/x", "{}").body == made)
    #expect(try one.ask(.post, "/x", "{}").body != made)
  }

  @Test func `make up objects, the same ones for the same seed`() throws {
    func users(_ randomSeed: Int) throws -> String {
      try ResourceServer(
        """
        {"path": "/users", "seed": {"count": 3, "randomSeed": \(randomSeed), "fields": {"name": "name", \
        "age": {"int": [18, 80]}, "role": ["a", "b"], "score": {"double": [0, 1]}, "bio": {"sentences": 2}, \
        "tags": {"value": []}, "at": {"object": {"city": "city"}}, "nr": "number", "on": true}}}
        """
      ).ask(.get, "/users").body
    }
    let made = try JSONValue(parsing: Array(try users(1).utf8))
    #expect(made.array?.compactMap { $0["id"]?.int } == [1, 2, 3])
    #expect(made.array?.compactMap { $0["nr"]?.int } == [1, 2, 3])
    #expect(made[0]?["at"]?["city"]?.text != nil)
    #expect(try users(1) == users(1))
    #expect(try users(1) != users(2))
  }

  @Test func `stand in envelopes and answer as an API does`() throws {
    let server = try ResourceServer(
      """
      {"path": "/x", "seed": [{"id": 1}, {"id": 2}, {"id": 3}],
       "envelope": {"list": {"data": "{{items}}", "page": "{{page}}", "of": "{{pages}}", "all": "{{total}}"},
                    "item": "data"},
       "pages": {"number": "p", "size": "limit", "offset": "skip", "standardSize": 2, "always": true},
       "put": "merge",
       "answers": {"create": {"status": 200}, "update": {"status": 202, "body": {"ok": "{{id}}"}},
                   "delete": {"status": 200, "body": {"gone": "{{item}}"}},
                   "missing": {"status": 410, "body": {"error": "no {{id}} here", "id": "{{id}}"}}}}
      """)
    #expect(try server.ask(.get, "/x").body == #"{"data":[{"id":1},{"id":2}],"page":1,"of":2,"all":3}"#)
    #expect(try server.ask(.get, "/x?p=2").body == #"{"data":[{"id":3}],"page":2,"of":2,"all":3}"#)
    #expect(try server.ask(.get, "/x?skip=1&limit=1").body == #"{"data":[{"id":2}],"page":2,"of":3,"all":3}"#)
    let made = try server.ask(.post, "/x", #"{"data": {"a": 1}}"#)
    #expect((made.status, made.body) == (200, #"{"data":{"id":4,"a":1}}"#))
    #expect(try server.ask(.put, "/x/4", #"{"b": 1}"#).body == #"{"ok":4}"#)
    #expect(try server.ask(.get, "/x/4").body == #"{"data":{"id":4,"a":1,"b":1}}"#)
    #expect(try server.ask(.delete, "/x/4").body == #"{"gone":{"data":{"id":4,"a":1,"b":1}}}"#)
    let missing = try server.ask(.get, "/x/4")
    #expect((missing.status, missing.body) == (410, #"{"error":"no 4 here","id":4}"#))
  }

  @Test(arguments: ["p=\(Int.max)&limit=3", "skip=\(Int.max)&limit=1"])
  func `have no page whose place would overflow`(_ query: String) throws {
    let server = try ResourceServer(
      """
      {"path": "/x", "seed": [{"id": 1}],
       "envelope": {"list": {"data": "{{items}}", "from": "{{offset}}"}},
       "pages": {"number": "p", "size": "limit", "offset": "skip"}}
      """)
    let page = try server.ask(.get, "/x?\(query)")
    #expect(page.status == 200 && page.body.hasPrefix(#"{"data":[],"from":"#))
  }

  @Test func `stand behind a path that says what they have in common`() throws {
    let server = try ResourceServer(
      #"""
      {"path": "/posts/{postId}/comments", "lists": ["/comments", "/of/{author}", "/any/{_this}"],
       "seed": [{"id": 1, "postId": 1, "author": "a"}, {"id": 2, "postId": 2, "author": "b"}]}
      """#)
    #expect(try server.ask(.get, "/posts/2/comments").body == #"[{"id":2,"postId":2,"author":"b"}]"#)
    let made = try server.ask(.post, "/posts/2/comments", #"{"author": "a", "postId": 1}"#)
    #expect(made.body == #"{"id":3,"author":"a","postId":2}"#)
    #expect(made.fields.text("location") == "/posts/2/comments/3")
    #expect(try server.ask(.get, "/posts/1/comments/3").status == 404)
    #expect(
      try server.ask(.get, "/of/a").body
        == #"[{"id":1,"postId":1,"author":"a"},{"id":3,"author":"a","postId":2}]"#)
    for path in ["/comments", "/any/thing"] {
      #expect(try server.ask(.get, path).fields.text("x-total-count") == "3")
    }
  }

  @Test func `are parts of the objects of another resource`() throws {
    let server = try ResourceServer(
      #"{"id": "posts", "path": "/posts", "seed": [{"id": "1", "comments": [{"id": "5", "likes": []}]}, {"id": "2"}]}"#,
      #"""
      {"id": "comments", "path": "/posts/{post}/comments", "within": {"resource": "posts", "member": "comments"},
       "ids": "text", "defaults": {"post": "{{parent.id}}", "likes": []}, "newest": "first",
       "answers": {"create": {"body": "{{parent}}"}, "delete": {"status": 200, "body": "{{parent}}"}}}
      """#,
      #"{"path": "/comments/{comment}/likes", "within": {"resource": "comments", "member": "likes"}}"#)
    #expect(
      try server.ask(.post, "/posts/1/comments", #"{"t": "x"}"#).body
        == #"{"id":"1","comments":[{"id":"6","post":"1","likes":[],"t":"x"},{"id":"5","likes":[]}]}"#)
    #expect(try server.ask(.post, "/comments/6/likes", "{}").body == #"{"id":1}"#)
    #expect(
      try server.ask(.get, "/posts/1/comments/6").body == #"{"id":"6","post":"1","likes":[{"id":1}],"t":"x"}"#
    )
    #expect(try server.ask(.delete, "/comments/6/likes/1").status == 204)
    #expect(try server.ask(.patch, "/posts/1/comments/6", #"{"t": "y"}"#).status == 200)
    #expect(
      try server.ask(.delete, "/posts/1/comments/5").body
        == #"{"id":"1","comments":[{"id":"6","post":"1","likes":[],"t":"y"}]}"#)
    #expect(try server.ask(.post, "/posts/2/comments", "{}").status == 201)
    #expect(try server.ask(.get, "/posts/2/comments").body == #"[{"id":"7","post":"2","likes":[]}]"#)
    #expect(try server.ask(.post, "/posts/3/comments", "{}").status == 404)
    #expect(try server.ask(.get, "/posts/2/comments/6").status == 404)
    #expect(server.overrides.data(of: "comments")?.array?.count == 2)
  }

  @Test func `speak JSON API, HAL and snake case`() throws {
    let server = try ResourceServer(
      #"{"path": "/articles", "as": "json:api", "seed": [{"id": 1, "title": "a"}]}"#,
      #"{"path": "/users", "as": "hal", "seed": [{"id": 1}]}"#,
      #"{"path": "/likes", "as": "snake_case", "seed": [{"id": 1, "theUser": 2}]}"#)
    #expect(try server.ask(.get, "/articles/1").body.contains(#""attributes":{"title":"a"}"#))
    let made = try server.ask(.get, "/articles?filter[title]=b")
    #expect(made.body.contains(#""data":[]"#))
    #expect(try server.ask(.get, "/users/1").body == #"{"_links":{"self":{"href":"/users/1"}},"id":1}"#)
    #expect(try server.ask(.get, "/likes/1").body == #"{"like":{"id":1,"the_user":2}}"#)
    #expect(
      try server.ask(.patch, "/likes/1", #"{"like": {"the_user": 3}}"#).body
        == #"{"like":{"id":1,"the_user":3}}"#)
  }

  @Test func `give the seeds again to another session, and after a reset`() throws {
    let server = try ResourceServer(three)
    _ = try server.ask(.delete, "/users/1")
    #expect(server.overrides.fresh().data(of: "resource-1")?.array?.count == 3)
    #expect(server.overrides.data(of: "resource-1")?.array?.count == 2)
    server.overrides.reset()
    #expect(server.overrides.data(of: "resource-1")?.array?.count == 3)
  }

  @Test func `keep their data when the file is read anew and says the same of them`() throws {
    let server = try ResourceServer(three, #"{"path": "/a"}"#)
    _ = try server.ask(.delete, "/users/1")
    _ = try server.ask(.post, "/a", "{}")
    try server.load([three, #"{"path": "/a", "seed": [{"id": 5}]}"#])
    #expect(try server.ask(.get, "/users/1").status == 404)
    #expect(try server.ask(.get, "/a").body == #"[{"id":5}]"#)
  }

  @Test func `take other data whole or not at all`() throws {
    let server = try ResourceServer(three)
    let overrides = server.overrides
    #expect(try overrides.setData(of: "resource-1", to: [["id": 4], ["n": "x"]]))
    #expect(try server.ask(.get, "/users").body == #"[{"id":4},{"id":5,"n":"x"}]"#)
    for wrong: JSONValue in [[["id": 1], ["id": 1]], [["id": [1]]], [1], ["id": 1]] {
      #expect(throws: OverrideProblem.self) { try overrides.setData(of: "resource-1", to: wrong) }
    }
    #expect(try server.ask(.get, "/users").body == #"[{"id":4},{"id":5,"n":"x"}]"#)
    #expect(try !overrides.setData(of: "nobody", to: []))
    #expect(overrides.data(of: "nobody") == nil)
  }

  @Test func `lose nothing of what 64 write at once`() async throws {
    let server = try ResourceServer(three)
    await withTaskGroup { group in
      for _ in 0..<64 {
        group.addTask {
          for _ in 0..<5 {
            _ = try? server.ask(.post, "/users", "{}")
            _ = try? server.ask(.post, "/users/2", "{}")
          }
        }
      }
    }
    let ids = server.overrides.data(of: "resource-1")?.array?.compactMap { $0["id"]?.int } ?? []
    #expect(ids.sorted() == [1, 2, 10] + Array(11...330))
  }

  @Test(arguments: [
    (#"{}"#, "resources[0].path: must be a text that starts with /"),
    (#"{"path": "/"}"#, "resources[0].path: must be segments and parameters"),
    (#"{"path": "/a/{id}/b"}"#, "resources[0].path: needs another name for {id}"),
    (#"{"path": "/a?b"}"#, "resources[0].path: must be segments"),
    (#"{"path": "/a", "as": "soap"}"#, "resources[0].as: must be one of \"rest\""),
    (#"{"path": "/a", "sed": []}"#, "resources[0].sed: unknown member; did you mean seed?"),
    (#"{"path": "/a", "seed": [1]}"#, "resources[0].seed[0]: must be an object"),
    (
      #"{"path": "/a", "seed": [{"id": 1}, {"id": "1"}]}"#,
      "resources[0].seed[1]: the id \"1\" is there twice"
    ),
    (#"{"path": "/a", "seed": [{"id": null}]}"#, "resources[0].seed[0]: its id must be a text"),
    (
      #"{"path": "/a", "seed": [{"id": "x"}], "ids": "number"}"#,
      "resources[0].ids: are numbers, and \"x\" is not one"
    ),
    (#"{"path": "/a", "seed": {}}"#, "resources[0].seed: needs one of data, file, count and cassette"),
    (#"{"path": "/a", "seed": {"count": -1}}"#, "resources[0].seed.count"),
    (
      #"{"path": "/a", "seed": {"count": 1, "fields": {"a": "nam"}}}"#,
      "resources[0].seed.fields.a: \"nam\" is not a kind"
    ),
    (
      #"{"path": "/a", "seed": {"count": 1, "fields": {"a": {"int": [2, 1]}}}}"#,
      "resources[0].seed.fields.a.int"
    ),
    (
      #"{"path": "/a", "seed": {"count": 1, "fields": {"a": []}}}"#,
      "resources[0].seed.fields.a: must be a list"
    ),
    (#"{"path": "/a", "seed": {"file": "../../etc/passwd"}}"#, "resources[0].seed.file"),
    (#"{"path": "/a", "seed": {"cassette": "nothing", "recording": "x"}}"#, "resources[0].seed.cassette"),
    (#"{"path": "/a", "only": ["list"]}"#, "resources[0].only: \"list\" is not an action"),
    (
      #"{"path": "/a", "envelope": {"list": {"data": []}}}"#,
      "resources[0].envelope.list: must have \"{{items}}\""
    ),
    (#"{"path": "/a", "envelope": {"item": {"a": "{{item}}", "b": "{{c}}"}}}"#, "{{c}} is unknown"),
    (#"{"path": "/a", "answers": {"delete": {"body": 1}}}"#, "resources[0].answers.delete.body: is not"),
    (#"{"path": "/a", "within": {"resource": "b", "member": "c"}}"#, "resources[0].path: needs a parameter"),
    (
      #"{"path": "/a/{b}/c", "within": {"resource": "b", "member": "c"}}"#,
      "resources[0].within.resource: \"b\""
    ),
    (
      #"{"path": "/a/{b}/c", "id": "x", "within": {"resource": "x", "member": "c"}}"#,
      "resources[0].within.resource"
    ),
    (#"{"path": "/a/{b}", "as": "json:api"}"#, "resources[0].path: cannot have parameters in JSON:API"),
    (
      #"{"path": "/a", "as": "json:api", "seed": [{"id": 1, "type": 2}]}"#,
      "resources[0].seed[0]: JSON:API has no"
    ),
    (#"{"path": "/a", "as": "json:api", "envelope": {}}"#, "resources[0].envelope: does not go with"),
    (#"{"path": "/a", "hidden": ["id"]}"#, "resources[0].hidden: cannot hide the id"),
    (#"{"path": "/a", "lists": ["b"]}"#, "resources[0].lists[0]: must start with /"),
  ])
  func `say where a declaration is wrong, and what`(_ resource: String, problem: String) throws {
    #expect {
      _ = try ResourceServer(resource)
    } throws: { error in
      "\(error)".hasPrefix("o.json:1:") && "\(error)".contains(problem)
    }
  }
}
