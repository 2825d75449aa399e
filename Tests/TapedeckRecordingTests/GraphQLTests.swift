import RecordingTestSupport
import TapedeckHTTP
import TestSupport
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

@Suite struct GraphQLTests {
  @Test(
    arguments: [
      ("{user{id}}", "{ user { id } }", "user"),
      (
        "query Get($id:ID!,$n:Int=-1){user(id:$id,n:$n){...F}}#c\nfragment F on User{id}",
        "query Get ( $ id : ID ! $ n : Int = -1 ) { user ( id : $ id n : $ n ) { ... F } } fragment F on User { id }",
        "Get"
      ),
      ("mutation\n,M{a(s:\"x , y\",b:\"\"\"\n  k \\\"\"\" l\n\"\"\")}", nil, "M"),
      ("fragment F on U{id} query G{u{...F}}", nil, "G"), ("\u{FEFF}{ a }", "{ a }", "a"),
      ("subscription{ticks}", nil, "ticks"),
    ] as [(String, String?, String)])
  func `documents by their tokens`(text: String, canonical: String?, operation: String) throws {
    let document = try #require(GraphQLDocument(Array(text.utf8)))
    if let canonical { #expect(String(decoding: document.canonical, as: UTF8.self) == canonical) }
    #expect(document.operation.map { String(decoding: $0, as: UTF8.self) } == operation)
    #expect(
      GraphQLDocument(document.canonical)?.canonical == document.canonical, "once more makes no difference")
  }

  @Test(arguments: [
    "", "hello", "query of a user", "{ unclosed", "} {", "{ a } }", "{\"a\": ^}", "{ \"open }",
    "{ \"\"\"open }",
    "{ a\u{1} }", "select {", "query A # {}", "{ \"x\ny\" }", "query \"",
  ])
  func `texts that are no documents`(text: String) { #expect(GraphQLDocument(Array(text.utf8)) == nil) }

  @Test func `mutated documents never trap`() {
    let text = Array(
      "query A($i: Int = 1) { a(s: \"x\\\"y\", b: \"\"\"k\\\"\"\"\"\"\") { ...F } } # end".utf8)
    var random = SeededGenerator(11)
    for _ in 0..<5000 {
      var changed = text
      for _ in 0..<2 {
        changed[Int.random(in: changed.indices, using: &random)] = text.randomElement(using: &random) ?? 0
      }
      changed.removeLast(Int.random(in: 0..<changed.count, using: &random))
      if let document = GraphQLDocument(changed) {
        #expect(GraphQLDocument(document.canonical)?.canonical == document.canonical)
      }
    }
  }

  private static let json = "application/json"

  @Test(
    arguments: [
      (
        HTTPRequest(
          .post, "/graphql", fields: fields([("Content-Type", json)]),
          body: Array(#"{"query":"query A{a}","operationName":"B"}"#.utf8)), "B"
      ),
      (HTTPRequest(.post, "/graphql", body: Array(#"{"query":"query A{a}"}"#.utf8)), "A"),
      (
        HTTPRequest(.post, "/graphql", body: Array(#"{"query":"{viewer{id}}","operationName":null}"#.utf8)),
        "viewer"
      ),
      (
        HTTPRequest(.post, "/graphql", body: Array(#"[{"query":"query A{a}"},{"query":"query B{b}"}]"#.utf8)),
        "A"
      ),
      (
        HTTPRequest(
          .post, "/graphql", body: Array(#"{"operationName":"P","extensions":{"persistedQuery":{}}}"#.utf8)),
        "P"
      ),
      (HTTPRequest(.get, "/graphql?query=query%20A%7Ba%7D"), "A"),
      (
        HTTPRequest(
          .post, "/", fields: fields([("X-Amz-Target", "DynamoDB_20120810.ListTables")]),
          body: Array("{}".utf8)), "ListTables"
      ),
      (
        HTTPRequest(
          .post, "/", fields: fields([("Content-Type", "application/x-www-form-urlencoded")]),
          body: Array("Action=ListUsers&Version=1".utf8)), "ListUsers"
      ),
      (HTTPRequest(.get, "/?Action=ListUsers"), "ListUsers"),
      (
        HTTPRequest(.post, "/rpc", body: Array(#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#.utf8)),
        "tools/call"
      ),
      (
        HTTPRequest(.post, "/soap", fields: fields([("SOAPAction", "\"http://x.test/users#GetUser\"")])),
        "GetUser"
      ),
      (HTTPRequest(.post, "/search", body: Array(#"{"query":"plain words","method":"x"}"#.utf8)), nil),
      (
        HTTPRequest(
          .post, "/", fields: fields([("Content-Type", "text/plain")]), body: Array("Action=ListUsers".utf8)),
        nil
      ),
      (HTTPRequest(.get, "/users"), nil),
    ] as [(HTTPRequest, String?)])
  func `operations of one-URL APIs`(request: HTTPRequest, name: String?) {
    #expect(RequestOperation.name(of: request) == name)
  }

  @Test(arguments: [
    ("/graphql", #"{"query":"query GetUser{a}"}"#, "post-graphql-getuser"),
    ("/", #"{"jsonrpc":"2.0","method":"tools/call"}"#, "post-root-tools-call"),
    ("/getUser", #"{"query":"query GetUser{a}"}"#, "post-getuser"),
    (
      "/graphql", #"{"query":"query \#(String(repeating: "a", count: 100)){a}"}"#,
      "post-graphql-\(String(repeating: "a", count: 40))"
    ),
  ])
  func `names say the operation`(target: String, body: String, prefix: String) {
    #expect(CassetteNames.prefix(of: HTTPRequest(.post, target, body: Array(body.utf8))) == prefix)
  }
}
