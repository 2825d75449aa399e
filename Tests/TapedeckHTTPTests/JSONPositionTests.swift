import Testing

@testable import TapedeckHTTP

private let document = Array(
  """
  {
    "routes": [
      {"path": "/a", "status": 200},
      {"path": "/ü", "when": {"query": {"page[size]": 1, "page": {"a.b": 2}}}, "status": 99}
    ],
    "a": [ ],
    "a.b": {"c": 1},
    "q\\"uote": {"x": 3}
  }
  """.utf8)

@Suite struct `Places in a document` {
  @Test(arguments: [
    ("", 1, 1), ("routes", 2, 3), ("routes[0]", 3, 5), ("routes[0].status", 3, 20),
    ("routes[1].status", 4, 78),
    ("routes[1].when.query.page[size]", 4, 39), ("routes[1].when.query.page.a.b", 4, 65),
    ("routes[1].json", 4, 5), ("routes[2]", 2, 3), ("routes[1].missing.deeper", 4, 5), ("nothing", 1, 1),
    ("a", 6, 3), ("a[0]", 6, 3), ("a.b.c", 7, 11), ("q\"uote.x", 8, 15), ("routes[x]", 2, 3),
    ("routes[-1]", 3, 5), ("routes[99999999999999999999]", 2, 3), ("[0]", 1, 1), (".", 1, 1),
    ("routes[0", 2, 3),
  ]) func `are found as far as they go`(_ place: String, line: Int, column: Int) {
    let position = JSONPosition(of: place, in: document)
    #expect((position.line, position.column) == (line, column))
  }
}
