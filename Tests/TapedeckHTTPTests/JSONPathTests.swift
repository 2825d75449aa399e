import Testing

@testable import TapedeckHTTP

/// JSON paths: what is read, what is refused and where, what is found and what is left.
@Suite struct JSONPathTests {
  private static let document = #"""
    {"id":7,"user":{"name":"Ada","id":8,"a b":1,"é":2},"items":[{"id":1,"tags":["x"]},{"id":2},[{"id":3}]],"n":null}
    """#

  private func document() throws -> JSONValue { try JSONValue(parsing: Array(Self.document.utf8)) }

  // MARK: Spelling

  @Test(arguments: [
    ("$", "$"), ("$.name", "$.name"), ("$['name']", "$.name"), (#"$["name"]"#, "$.name"),
    ("$[0]", "$[0]"), ("$[-1]", "$[-1]"), ("$.*", "$[*]"), ("$[*]", "$[*]"), ("$..name", "$..name"),
    ("$..*", "$..[*]"), ("$..['name']", "$..name"), ("$..[0]", "$..[0]"), ("$..['a b']", #"$..["a b"]"#),
    ("$[ 'name' ][ 2 ]", "$.name[2]"), ("$['a b']", #"$["a b"]"#), ("$['']", #"$[""]"#),
    ("$.é_1.B", "$.é_1.B"), ("$['1']", #"$["1"]"#), ("$['it\\'s']", #"$["it's"]"#),
    (#"$["\"\\\/\b\t\n\f\r\u0041\ud83d\ude00"]"#, "$[\"\\\"\\\\/\\b\\t\\n\\f\\rA😀\"]"),
    ("$.a.b[3]..c[*]['d'][-2]", "$.a.b[3]..c[*].d[-2]"),
  ])
  func reads(text: String, shortest: String) throws {
    let path = try JSONPath(text)
    #expect(path.description == shortest)
    #expect(try JSONPath(path.description) == path, "the spelling it is written in is the same path")
  }

  @Test(arguments: [
    ("", 1, "it begins with $, like $.user.name"),
    ("name", 1, "it begins with $"),
    (" $", 1, "it begins with $"),
    ("$name", 2, #""n" stands where a dot or an opening bracket is expected"#),
    ("$.", 3, "it ends where a name or * is expected"),
    ("$..", 4, "it ends where a name or * is expected"),
    ("$...a", 4, #""." stands where a name or * is expected"#),
    ("$.1a", 3, #""1" stands where a name or * is expected"#),
    ("$.user-id", 7, "names like this are written ['user-id']"),
    ("$.a b", 4, "['a b']"),
    ("$.a ", 4, "a dot, a bracket or the end"),
    ("$[", 3, "it ends where a name in quotes, a number or * is expected"),
    ("$[a]", 3, #""a" stands where a name in quotes"#),
    ("$['a", 5, "it ends where a closing quote is expected"),
    ("$['a'", 6, "it ends where a closing bracket is expected"),
    ("$['a']b", 7, #""b" stands where a dot or an opening bracket"#),
    ("$[\"a']", 7, "it ends where a closing quote"),
    (#"$['\x']"#, 5, "unknown escape"), (#"$['\""]"#, 5, "unknown escape"),
    (#"$['\u12"#, 5, "unknown escape"), (#"$['\ud800']"#, 5, "unknown escape"),
    (#"$['\ud800\u0041']"#, 5, "unknown escape"),
    ("$['\u{1}']", 4, "a name without control characters"),
    ("$[01]", 3, "an index is a number"), ("$[-0]", 3, "an index is a number"), ("$[-]", 3, "an index"),
    ("$[9999999999999999]", 3, "an index is a number"),
    ("$[1.5]", 4, #""." stands where a closing bracket"#),
    ("$[0,1]", 4, "lists in brackets are not supported"), ("$['a','b']", 6, "lists in brackets"),
    ("$[1:2]", 4, "ranges are not supported"), ("$[:2]", 3, "ranges"), ("$[?@.a]", 3, "filters are not"),
    ("$.é.!", 5, #""!" stands where a name"#),
  ])
  func refuses(text: String, position: Int, says: String) throws {
    let error = try #require(throws: JSONPathError.self) { try JSONPath(text) }
    #expect(error.position == position, "\(error)")
    #expect(error.description.contains(says), "\(error)")
    #expect(error.description.contains(text.debugDescription))
  }

  @Test func refusesMoreStepsThanItHasBitsFor() throws {
    let most = "$" + String(repeating: "[0]", count: JSONPath.maximumSteps)
    #expect(try JSONPath(most).steps.count == JSONPath.maximumSteps)
    #expect(throws: JSONPathError.self) { try JSONPath(most + ".a") }
  }

  // MARK: Finding

  @Test(arguments: [
    ("$.id", ["7"]), ("$['user'].name", [#""Ada""#]), ("$.user['a b']", ["1"]), ("$.user.é", ["2"]),
    ("$.items[0].id", ["1"]), ("$.items[-1]", [#"[{"id":3}]"#]), ("$.items[-4]", []), ("$.items[3]", []),
    ("$.items[*].id", ["1", "2"]), ("$.items[-3].tags[0]", [#""x""#]),
    ("$..id", ["7", "8", "1", "2", "3"]), ("$.items..id", ["1", "2", "3"]), ("$..[0].id", ["1", "3"]),
    ("$..*..id", ["8", "1", "2", "3"]), ("$.user.*", [#""Ada""#, "8", "1", "2"]), ("$.n", ["null"]),
    ("$.id.x", []), ("$.user[0]", []), ("$.items.id", []), ("$.absent", []), ("$.ID", []),
    ("$..tags.*", [#""x""#]),
  ])
  func finds(path: String, values: [String]) throws {
    let found = try document().values(at: JSONPath(path))
    #expect(found.map { String(decoding: $0.bytes(), as: UTF8.self) } == values)
    #expect(try document().has(JSONPath(path)) == !values.isEmpty)
  }

  @Test func theRootIsTheDocument() throws { #expect(try document().values(at: .root) == [document()]) }

  @Test func findsAllMembersOfOneNameAndNamesWithEscapes() throws {
    let value = try JSONValue(parsing: Array(#"{"a":1,"\u0061":2,"b":3}"#.utf8))
    #expect(value.values(at: try JSONPath("$.a")) == [1, 2])
  }

  // MARK: Replacing

  @Test(arguments: [
    (["$.b"], #"{"a":[1,2,3]}"#), (["$.a[1]"], #"{"a":[1,3],"b":{"c":4}}"#),
    (["$.a[0]", "$.a[-1]"], #"{"a":[2],"b":{"c":4}}"#), (["$..c"], #"{"a":[1,2,3],"b":{}}"#),
    (["$.a", "$.a[0]"], #"{"b":{"c":4}}"#), (["$.x", "$.a.b"], #"{"a":[1,2,3],"b":{"c":4}}"#),
    (["$.*"], "{}"), (["$.a.*"], #"{"a":[],"b":{"c":4}}"#), ([], #"{"a":[1,2,3],"b":{"c":4}}"#),
  ])
  func removes(paths: [String], rest: String) throws {
    let value = try JSONValue(parsing: Array(#"{"a":[1,2,3],"b":{"c":4}}"#.utf8))
    let removed = value.removing(try paths.map { try JSONPath($0) })
    #expect(removed.map { String(decoding: $0.bytes(), as: UTF8.self) } == rest)
  }

  @Test func removingTheRootLeavesNothing() throws { #expect(try document().removing([.root]) == nil) }

  @Test func replacesEveryPlaceOnceAndKeepsTheRestAsWritten() throws {
    let value = try JSONValue(parsing: Array(#"{"a":1.50,"b":[1e0,{"a":"\u0041"}]}"#.utf8))
    var asked = 0
    let replaced = value.replacing([try JSONPath("$..a"), try JSONPath("$.a")]) { old in
      asked += 1
      return .array([old])
    }
    #expect(
      replaced.map { String(decoding: $0.bytes(), as: UTF8.self) }
        == #"{"a":[1.50],"b":[1e0,{"a":["\u0041"]}]}"#)
    #expect(asked == 2)
  }

  @Test(arguments: [
    ("$.a", #"{"a":9,"b":{"c":4}}"#), ("$.b.d", #"{"a":1,"b":{"c":4,"d":9}}"#),
    ("$.b.c", #"{"a":1,"b":{"c":9}}"#), ("$.x.y", #"{"a":1,"b":{"c":4}}"#),
    ("$.*", #"{"a":9,"b":9}"#), ("$..z", #"{"a":1,"b":{"c":4}}"#), ("$", "9"),
    ("$.a.x", #"{"a":1,"b":{"c":4}}"#),
  ])
  func sets(path: String, result: String) throws {
    let value = try JSONValue(parsing: Array(#"{"a":1,"b":{"c":4}}"#.utf8))
    #expect(String(decoding: value.setting(9, at: try JSONPath(path)).bytes(), as: UTF8.self) == result)
  }

  /// Each level could be reached in twice as many ways as the one before it; they are one state.
  @Test func manyDescentsCostNoMoreThanTheDocument() throws {
    let depth = 200
    let deep = String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
    let path = try JSONPath("$" + String(repeating: "..a", count: 40))
    #expect(try JSONValue(parsing: Array(deep.utf8)).values(at: path).count == depth - 39)
  }
}
