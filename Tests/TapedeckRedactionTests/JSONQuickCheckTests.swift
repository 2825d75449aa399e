import Testing

@testable import TapedeckRedaction

@Suite struct JSONQuickCheckTests {
  /// Nothing to hide, and seen to be so without taking it apart.
  @Test(arguments: [
    "{}", "[]", "[1,-2.5e+3,true,null]",
    #"{"id":7,"name":"item 7","tags":["new","blue"],"owner":{"login":"user7"}}"#,
    #"{"created":"2026-03-01T09:30:00Z","text":"a fox \"jumps\"\nover it"}"#,
    #"{"a":{"b":[{"c":""}]}} {"d":1}"#,
    #"{"name":"monkey","value":"b","kind":"Pod","path":"/a/b"}"#,
    #"{"query":"query Item($id: ID!) { item(id: $id) { id } }","variables":{"input":{"url":"https://a.example/b"}}}"#,
    #"{"id":"7f000001-8ad8-4e1c-9c6d-2a5b8c1d9e0f","text":"the well-known international author, inside"}"#,
    String(repeating: "[", count: 64) + String(repeating: "]", count: 64),
  ])
  func passesWhatHoldsNothing(_ document: String) {
    #expect(!JSONQuickCheck.mayHide(Array(document.utf8)[...]))
  }

  /// A secret, what may be one, or no JSON.
  @Test(arguments: [
    #"{"password":"x"}"#, #"{"PASS\u0057ORD":"x"}"#, #"{"a":"\u0070assword=hunter2"}"#,
    #"{"a":"ghp_a1B2c3D4e5F6g7H8i9J0"}"#, #"["ghp_a1B2c3D4e5F6g7H8i9J0"]"#, #"{"cookie":["a; b"]}"#,
    #"{"Set-Cookie":"a"}"#, #"{"name":"password","value":"b"}"#, #"{"a":"key: value"}"#, #"{"a":"{}"}"#,
    #"{"ghp_a1B2c3D4e5F6g7H8i9J0":1}"#, #"{"a""b":1,"password""c"}"#, "{", "}", "[}", "{]", #"{"a"#, #"{"a\"#,
    #"{"a":@}"#, #"{"value":"b","name":"password"}"#, #"{"path":"/checksums/user/pw","value":"b"}"#,
    #"{"kind":"Secret","data":{"a":"b"}}"#, #"{"cookies":[{"name":"a","value":"b"}]}"#,
    #"{"a":"https://user:pw@b.example"}"#, #"{"a":"identified by 'b'"}"#, #"{"a":"curl --user b:c"}"#,
    "[\"\u{1}\"]",
    String(repeating: "[", count: 65) + String(repeating: "]", count: 65),
  ])
  func isNotSure(_ document: String) {
    #expect(JSONQuickCheck.mayHide(Array(document.utf8)[...]))
  }
}
