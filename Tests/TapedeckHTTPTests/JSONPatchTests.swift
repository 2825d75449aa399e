import TapedeckHTTP
import Testing

private func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

private func patched(_ document: String, _ patch: String) throws -> String {
  try JSONPatch(json(patch)).applied(to: json(document)).description
}

/// RFC 6902, appendix A: document, patch, result; nil where it must fail.
private let appendix: [(name: String, document: String, patch: String, result: String?)] = [
  (
    "A.1", #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux"}]"#, #"{"foo":"bar","baz":"qux"}"#
  ),
  (
    "A.2", #"{"foo":["bar","baz"]}"#, #"[{"op":"add","path":"/foo/1","value":"qux"}]"#,
    #"{"foo":["bar","qux","baz"]}"#
  ),
  ("A.3", #"{"baz":"qux","foo":"bar"}"#, #"[{"op":"remove","path":"/baz"}]"#, #"{"foo":"bar"}"#),
  ("A.4", #"{"foo":["bar","qux","baz"]}"#, #"[{"op":"remove","path":"/foo/1"}]"#, #"{"foo":["bar","baz"]}"#),
  (
    "A.5", #"{"baz":"qux","foo":"bar"}"#, #"[{"op":"replace","path":"/baz","value":"boo"}]"#,
    #"{"baz":"boo","foo":"bar"}"#
  ),
  (
    "A.6", #"{"foo":{"bar":"baz","waldo":"fred"},"qux":{"corge":"grault"}}"#,
    #"[{"op":"move","from":"/foo/waldo","path":"/qux/thud"}]"#,
    #"{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}"#
  ),
  (
    "A.7", #"{"foo":["all","grass","cows","eat"]}"#, #"[{"op":"move","from":"/foo/1","path":"/foo/3"}]"#,
    #"{"foo":["all","cows","eat","grass"]}"#
  ),
  (
    "A.8", #"{"baz":"qux","foo":["a",2,"c"]}"#,
    #"[{"op":"test","path":"/baz","value":"qux"},{"op":"test","path":"/foo/1","value":2}]"#,
    #"{"baz":"qux","foo":["a",2,"c"]}"#
  ),
  ("A.9", #"{"baz":"qux"}"#, #"[{"op":"test","path":"/baz","value":"bar"}]"#, nil),
  (
    "A.10", #"{"foo":"bar"}"#, #"[{"op":"add","path":"/child","value":{"grandchild":{}}}]"#,
    #"{"foo":"bar","child":{"grandchild":{}}}"#
  ),
  (
    "A.11", #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz","value":"qux","xyz":123}]"#,
    #"{"foo":"bar","baz":"qux"}"#
  ),
  ("A.12", #"{"foo":"bar"}"#, #"[{"op":"add","path":"/baz/bat","value":"qux"}]"#, nil),
  ("A.14", #"{"/":9,"~1":10}"#, #"[{"op":"test","path":"/~01","value":10}]"#, #"{"/":9,"~1":10}"#),
  ("A.15", #"{"/":9,"~1":10}"#, #"[{"op":"test","path":"/~01","value":"10"}]"#, nil),
  (
    "A.16", #"{"foo":["bar"]}"#, #"[{"op":"add","path":"/foo/-","value":["abc","def"]}]"#,
    #"{"foo":["bar",["abc","def"]]}"#
  ),
]

@Test(arguments: appendix.indices)
func `the examples of RFC 6902`(_ index: Int) throws {
  let row = appendix[index]
  guard let result = row.result else {
    #expect(throws: JSONPatchError.self, "\(row.name)") { try patched(row.document, row.patch) }
    return
  }
  #expect(try patched(row.document, row.patch) == result, "\(row.name)")
}

@Test func `the public test suite of JSON patch`() throws {
  let rows = try #require(json(jsonPatchRows).array)
  #expect(rows.count > 70)
  for row in rows {
    let (document, patch) = (try #require(row["doc"]), try #require(row["patch"]))
    let comment = Comment(rawValue: row["comment"]?.text ?? patch.description)
    if row["error"] != nil {
      #expect(throws: JSONPatchError.self, comment) { try JSONPatch(patch).applied(to: document) }
    } else {
      let result = try JSONPatch(patch).applied(to: document)
      #expect(result.isEquivalent(to: row["expected"] ?? document), comment)
    }
  }
}

@Test func `what a patch does not touch keeps its spelling and its order`() throws {
  let result = try patched(
    #"{"b":1.0,"a":1e3,"c":"\u0041","b2":[10000000000000000000000]}"#,
    #"[{"op":"replace","path":"/a","value":2.50},{"op":"copy","from":"/b2/0","path":"/d"}]"#)
  #expect(
    result == #"{"b":1.0,"a":2.50,"c":"\u0041","b2":[10000000000000000000000],"d":10000000000000000000000}"#)
}

@Test(arguments: [
  ("{}", "a JSON patch is a list"), ("[1]", "operation 0: must be an object"),
  (#"[{"op":"test","path":"","value":1},{"op":"spam"}]"#, #"operation 1: "op" is "spam""#),
  (#"[{"path":"/a"}]"#, #""op" is missing"#), (#"[{"op":"add","value":1}]"#, #""path" is missing"#),
  (#"[{"op":"add","path":"/a"}]"#, #""value" is missing"#),
  (#"[{"op":"move","path":"/a"}]"#, #""from" is missing"#),
  (#"[{"op":"remove","path":"a"}]"#, "it begins with /"), (#"[{"op":"remove","path":"/~2"}]"#, "~0"),
])
func `what is no patch says why`(_ text: String, problem: String) throws {
  let error = #expect(throws: JSONPatchError.self) { try JSONPatch(json(text)) }
  #expect(error?.description.contains(problem) == true, "\(String(describing: error))")
}

@Test(arguments: [
  (#"[{"op":"remove","path":"/x"}]"#, "nothing stands at \"/x\""),
  (#"[{"op":"remove","path":""}]"#, "cannot be removed"),
  (#"[{"op":"add","path":"/a/02","value":1}]"#, "index"),
  (#"[{"op":"add","path":"/a/3","value":1}]"#, "index"),
  (#"[{"op":"remove","path":"/a/-"}]"#, "nothing stands"),
  (#"[{"op":"add","path":"/n/x","value":1}]"#, "no object and no list"),
  (#"[{"op":"move","from":"/o","path":"/o/p"}]"#, "into itself"),
  (#"[{"op":"test","path":"/n","value":2}]"#, "is not equal"),
])
func `a patch that cannot be applied says why`(_ text: String, problem: String) throws {
  let document = try json(#"{"a":[1,2],"n":1,"o":{"p":1}}"#)
  let error = #expect(throws: JSONPatchError.self) { try JSONPatch(json(text)).applied(to: document) }
  #expect(error?.description.contains(problem) == true, "\(String(describing: error))")
}

@Test func `copies of copies end before they take all memory`() throws {
  let copies = (0..<60).map { _ in #"{"op":"copy","from":"","path":"/a"}"# }.joined(separator: ",")
  let text = String(repeating: "x", count: 1000)
  let error = #expect(throws: JSONPatchError.self) {
    try JSONPatch(json("[\(copies.replacing("/a", with: "/-"))]")).applied(to: json(#"["\#(text)"]"#))
  }
  #expect(error?.description.contains("more than \(64 << 20) bytes") == true)
}

@Test(arguments: [
  ("1", "1.0", true), ("10", "1e1", true), ("-0", "0.0", true), ("0.1", "1E-1", true), ("1", "2", false),
  ("9007199254740993", "9007199254740992", false), ("1e400", "10e399", true), ("1e400", "1e401", false),
  ("-1", "1", false), ("120e-1", "12", true), (#""A""#, #""\u0041""#, true), (#""1""#, "1", false),
  (#"{"a":1,"b":[2]}"#, #"{"b":[2.0],"a":1}"#, true), (#"{"a":1}"#, #"{"a":1,"b":1}"#, false),
  ("[1,2]", "[2,1]", false), ("null", "false", false), ("1e99999999999999999999", "1", false),
])
func `two values mean the same or not`(_ left: String, _ right: String, _ isSame: Bool) throws {
  #expect(try json(left).isEquivalent(to: json(right)) == isSame)
  #expect(try json(right).isEquivalent(to: json(left)) == isSame)
}

/// RFC 6901 §5.
@Test(
  arguments: [
    ("", nil), ("/foo", #"["bar","baz"]"#), ("/foo/0", #""bar""#), ("/", "0"), ("/a~1b", "1"), ("/c%d", "2"),
    ("/e^f", "3"), ("/g|h", "4"), (#"/i\j"#, "5"), (#"/k"l"#, "6"), ("/ ", "7"), ("/m~0n", "8"),
  ] as [(String, String?)])
func `the examples of RFC 6901`(_ text: String, _ value: String?) throws {
  let document = try json(
    #"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}"#)
  let pointer = try JSONPointer(text)
  #expect(document.value(at: pointer)?.description == value ?? document.description)
  #expect(pointer.description == text)
}

@Test(
  arguments: [
    ("set", "$.items", #"{"items":0,"a":[{"id":1},{"id":2.0}]}"#),
    ("set", "$.new", #"{"items":[1],"a":[{"id":1},{"id":2.0}],"new":0}"#),
    ("set", "$.a[*].id", #"{"items":[1],"a":[{"id":0},{"id":0}]}"#),
    ("set", "$.a[-1]", #"{"items":[1],"a":[{"id":1},0]}"#), ("set", "$", "0"),
    ("set", "$.x.y", nil), ("set", "$.items.y", nil), ("set", "$.a[7]", nil),
    ("append", "$.items", #"{"items":[1,0],"a":[{"id":1},{"id":2.0}]}"#),
    ("append", "$.a[0]", nil), ("append", "$.nope", nil),
  ] as [(String, String, String?)])
func `an edit changes what its path selects`(
  _ edit: String, _ path: String, _ result: String?
) throws {
  let document = try json(#"{"items":[1],"a":[{"id":1},{"id":2.0}]}"#)
  let make = edit == "set" ? JSONEdit.set : JSONEdit.append
  #expect(make(try JSONPath(path), 0).applied(to: document)?.description == result)
}

@Test func `an edit takes out what its path selects`() throws {
  let document = try json(#"{"a":[{"id":1,"b":2},{"id":2.0}],"id":3}"#)
  #expect(JSONEdit.remove(try JSONPath("$..id")).applied(to: document)?.description == #"{"a":[{"b":2},{}]}"#)
  #expect(JSONEdit.remove(try JSONPath("$.nope")).applied(to: document) == nil)
}
