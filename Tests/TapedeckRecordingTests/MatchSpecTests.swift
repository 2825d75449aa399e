import RecordingTestSupport
import Testing

@testable import TapedeckRecording
@testable import TapedeckRedaction

/// `--match`: what is understood, how it is written down, and what is refused.
@Suite struct MatchSpecTests {
  private static let whole = "method path query body"

  @Test(arguments: [
    (["method,path,query,body"], whole),
    (["body,query,path,method"], whole),
    (["method,path"], "method path"),
    (["path"], "path"),
    (["method,path", "body"], "method path body"),
    (["host"], whole + " host"),
    (["method,host"], "method host"),
    (["headers:Accept,X-Tenant"], whole + " headers:accept headers:x-tenant"),
    (["headers:Accept+X-Tenant"], whole + " headers:accept headers:x-tenant"),
    (["headers:Accept", "headers:X-Tenant"], whole + " headers:accept headers:x-tenant"),
    (["method,path,headers:Accept,X-Tenant,query"], "method path query headers:accept headers:x-tenant"),
    (["headers:Accept,host,headers:ACCEPT"], whole + " host headers:accept"),
    (["body:json"], whole + " body:json"),
    (["method,path,body:form"], "method path body body:form"),
    (["body:multipart"], whole + " body:multipart"), (["body:bytes"], whole + " body:bytes"),
    (["body:json", "body:auto"], whole),
    (["body:ignore=$.nonce,$.sentAt"], whole + " body:ignore=$.nonce body:ignore=$.sentAt"),
    (["body:ignore=$.sentAt+$.nonce"], whole + " body:ignore=$.nonce body:ignore=$.sentAt"),
    (["body:ignore=$['nonce']"], whole + " body:ignore=$.nonce"),
    (["body:ignore=$['a,b+c]'],$..id"], whole + #" body:ignore=$..id body:ignore=$["a,b+c]"]"#),
    ([#"body:ignore=$["a\"],b"],host"#], whole + #" body:ignore=$["a\"],b"] host"#),
    (["body:ignore=csrf,$.nonce"], whole + " body:ignore=$.nonce body:ignore=csrf"),
    (["body:json,body:ignore=$.nonce"], whole + " body:json body:ignore=$.nonce"),
    (["query:ignore=ts"], "method path query query:ignore=ts body"),
    (
      ["query:ignore=ts,utm_*,body:ignore=$.n"],
      "method path query query:ignore=ts query:ignore=utm_* body body:ignore=$.n"
    ),
    (["query:ignore=ts,body"], "query query:ignore=ts body"),
    (["query:ignore=ts+body"], "method path query query:ignore=body query:ignore=ts body"),
    (["query:ignore=a%2Cb"], "method path query query:ignore=a%2Cb body"),
    (["query:ignore=%24filter,$top"], "method path query query:ignore=%24filter query:ignore=%24top body"),
    (["query:ignore=*"], "method path query query:ignore=* body"),
    (["query:ignore=%2A"], "method path query query:ignore=%2A body"),
    (["method , path , headers: Accept , X-Tenant"], "method path headers:accept headers:x-tenant"),
  ])
  func understands(texts: [String], items: String) throws {
    let rules = try MatchSpec(texts).rules()
    #expect(rules.items.joined(separator: " ") == items)
    #expect(try MatchSpec(rules.items).rules() == rules, "what is written down is read again")
  }

  @Test(arguments: [
    ([""], #"there is nothing between two commas, or at an end, of """#),
    (["method,,path"], #"of "method,,path""#), (["method,"], #"of "method,""#),
    (["url"], #""url" is no part of a request; known are method, path, query, body, host, headers:NAME"#),
    (["Method"], #""Method" is no part"#), (["body:xml"], #""body:xml" is no part"#),
    (["header:Accept"], #""header:Accept" is no part"#), (["path:ignore=1"], #""path:ignore=1" is no part"#),
    (["headers:A,path:x"], #""path:x" is no part"#), (["$.nonce"], #""$.nonce" is no part"#),
    (["method,$.nonce"], #""$.nonce" is no part"#),
    (["body:json,$.nonce"], #""$.nonce" is no part"#),
    (["headers:"], #"a name is missing after "headers:""#), (["headers:A++B"], #"after "headers:""#),
    (["query:ignore="], #"a name is missing after "query:ignore=""#),
    (["body:ignore="], #"after "body:ignore=""#),
    (["headers:a b"], #""a b" is no header name"#), (["headers:ä"], #""ä" is no header name"#),
    (["headers:Host"], "the Host header is compared by the word host"),
    (["headers:Accept-Encoding"], "the header accept-encoding cannot be compared: cassettes do not keep it"),
    (["headers:Content-Length"], "the header content-length cannot be compared"),
    (["body:ignore=$.a-b"], "names like this are written ['a-b']"),
    (["body:ignore=$.a,$."], #""$." is no JSON path: it ends where a name or * is expected (character 3)"#),
    (["body:ignore=$['a"], "it ends where a closing quote is expected"),
  ])
  func refuses(texts: [String], says: String) throws {
    let error = try #require(throws: MatchSpecError.self) { try MatchSpec(texts) }
    #expect(error.description.contains(says), "\(error)")
  }

  @Test(arguments: [
    (["body:bytes,body:ignore=$.a"], "body:ignore=$.a and body:bytes do not go together"),
    (["body:bytes,body:ignore=csrf"], "body:ignore=csrf and body:bytes do not go together"),
    (["body:json,body:ignore=csrf"], "body:ignore=csrf and body:json do not go together"),
    (["body:form,body:ignore=$.a"], "body:ignore=$.a and body:form do not go together"),
  ])
  func refusesWhatDoesNotGoTogether(texts: [String], says: String) throws {
    let error = try #require(throws: MatchSpecError.self) { try MatchSpec(texts).rules() }
    #expect(error.description == says)
  }

  @Test(arguments: [
    (["body:ignore=$.a"], ["body:ignore=$.b"], "method path query body body:ignore=$.a body:ignore=$.b"),
    (["method,path"], ["host"], "method path host"),
    (["method,path"], ["query:ignore=ts"], "method path query query:ignore=ts"),
    (["body:ignore=$.a,host"], ["method,path"], "method path"),
    (["body:json"], ["body:auto"], "method path query body"),
  ])
  func changesTheRulesThereAre(before: [String], spec: [String], after: String) throws {
    let rules = try MatchSpec(spec).rules(changing: MatchSpec(before).rules())
    #expect(rules.items.joined(separator: " ") == after)
    #expect(try MatchSpec(spec).rules(changing: rules) == rules, "saying it twice changes nothing")
  }

  @Test(arguments: [
    ([], false), (["host"], false), (["headers:Accept"], false), (["body:bytes"], false),
    (["method,path,query,body"], false), (["method,path,query"], true), (["path,query,body"], true),
    (["query:ignore=ts"], true), (["body:ignore=$.a"], true), (["body:ignore=csrf"], true),
  ])
  func knowsWhetherSomethingIsLeftOut(texts: [String], leavesOut: Bool) throws {
    #expect(try MatchSpec(texts).rules().leavesOut == leavesOut)
  }
}
