import MockingSupport
import TapedeckHTTP
import TapedeckMocking
import TapedeckResources
import Testing

@Suite struct `P. JSON:API server, pages` {
  private func server(_ pagination: JSONAPIResources.Pagination, count: Int = 5) throws -> JSONAPIServer {
    let server = try JSONAPIServer(JSONAPIOptions(pagination: pagination))
    server.store.delete(NewsArticle.self) { _ in true }
    for id in 1...count { try server.store.insert(NewsArticle(id: "\(id)", store: server.store)) }
    return server
  }

  @Test func `K278 numbered pages`() async throws {
    let server = try server(.number())
    let page = try await server.get("/articles?sort=id&page[number]=2&page[size]=2")
    #expect(page.ids == ["3", "4"])
    let base = "/api/articles?sort=id&page%5Bnumber%5D="
    #expect(
      page.json["links"]?.members?.map { "\($0.name.text) \($0.value.text ?? "")" } == [
        "self /api/articles?sort=id&page%5Bnumber%5D=2&page%5Bsize%5D=2", "first \(base)1&page%5Bsize%5D=2",
        "last \(base)3&page%5Bsize%5D=2", "prev \(base)1&page%5Bsize%5D=2", "next \(base)3&page%5Bsize%5D=2",
      ])
    #expect(page.json["meta"] == ["page": ["total": 5]])
    let last = try await server.get("/articles?page[number]=3&page[size]=2")
    #expect(last.ids == ["5"])
    #expect(last.json["links"]?["next"] == .null)
    #expect(try await server.get("/articles?page[number]=9&page[size]=2").ids == [])
    #expect(try await server.get("/articles").ids.count == 5)
    let sized = try self.server(.number(size: 2))
    #expect(try await sized.get("/articles").ids == ["1", "2"])
  }

  @Test func `K278 offsets`() async throws {
    let server = try server(.offset())
    let page = try await server.get("/articles?page[offset]=1&page[limit]=2")
    #expect(page.ids == ["2", "3"])
    let base = "/api/articles?page%5Boffset%5D="
    #expect(page.json["links"]?["first"]?.text == "\(base)0&page%5Blimit%5D=2")
    #expect(page.json["links"]?["last"]?.text == "\(base)4&page%5Blimit%5D=2")
    #expect(page.json["links"]?["prev"]?.text == "\(base)0&page%5Blimit%5D=2")
    #expect(page.json["links"]?["next"]?.text == "\(base)3&page%5Blimit%5D=2")
    #expect(try await server.get("/articles?page[offset]=9").ids == [])
    #expect(try await server.get("/articles?page[number]=1").status == 400)
  }

  @Test func `K278 cursors, walked from end to end and back`() async throws {
    let server = try server(.cursor(size: 2))
    for (way, expected) in [("next", [["1", "2"], ["3", "4"], ["5"]])] {
      var pages: [[String]] = []
      var link: String? = "/api/articles?sort=id"
      var last: JSONValue?
      while let url = link {
        let page = try await server.get(String(url.dropFirst(4)))
        pages.append(page.ids)
        last = page.json["links"]
        link = page.json["links"]?[way]?.text
      }
      #expect(pages == expected)
      let before = try await server.get(String(try #require(last?["prev"]?.text).dropFirst(4)))
      #expect(before.ids == ["3", "4"])
    }
    let first = try await server.get("/articles")
    #expect(first.json["links"]?["prev"] == .null)
    let cursor = try #require(first.data?[0]?["meta"]?["page"]?["cursor"]?.text)
    #expect(try await server.get("/articles?page[after]=\(cursor)&page[size]=1").ids == ["2"])
    #expect(first.json["meta"] == ["page": ["total": 5]])
  }

  @Test func `K278 a range of cursors`() async throws {
    let server = try server(.cursor(size: 2))
    let all = try await server.get("/articles?page[size]=5")
    let cursors = (all.data?.array ?? []).compactMap { $0["meta"]?["page"]?["cursor"]?.text }
    let range = try await server.get("/articles?page[after]=\(cursors[0])&page[before]=\(cursors[3])")
    #expect(range.ids == ["2", "3"])
    #expect(range.json["meta"] == ["page": ["total": 5]])
    let cut = try await server.get(
      "/articles?page[after]=\(cursors[0])&page[before]=\(cursors[4])&page[size]=1")
    #expect(cut.ids == ["2"])
    #expect(cut.json["meta"]?["page"]?["rangeTruncated"] == true)
  }

  @Test(arguments: ["0", "-1", "x", "", "1.5"])
  func `K279 a size that is none is 400`(_ size: String) async throws {
    let response = try await server(.cursor()).get("/articles?page[size]=\(size)")
    #expect(response.status == 400)
    #expect(response.error?["source"] == ["parameter": "page[size]"])
  }

  @Test func `K279 a size above the largest tells which that is`() async throws {
    let response = try await server(.cursor(maximumSize: 50)).get("/articles?page[size]=51")
    #expect(response.status == 400)
    #expect(response.error?["meta"] == ["page": ["maxSize": 50]])
    #expect(
      response.error?["links"]
        == ["type": "https://jsonapi.org/profiles/ethanresnick/cursor-pagination/max-size-exceeded"])
    #expect(response.error?["source"] == ["parameter": "page[size]"])
    #expect(try await server(.cursor()).get("/articles?page[after]=bm9uZQ").status == 400)
  }

  @Test func `K278 huge numbers are no trap`() async throws {
    let huge = String(Int.max)
    #expect(
      try await server(.number(maximumSize: .max)).get("/articles?page[number]=\(huge)&page[size]=\(huge)")
        .ids == [])
    #expect(
      try await server(.offset(maximumLimit: .max)).get("/articles?page[offset]=\(huge)&page[limit]=\(huge)")
        .ids == [])
    #expect(try await server(.cursor(maximumSize: .max)).get("/articles?page[size]=\(huge)").ids.count == 5)
    #expect(try await server(.number()).get("/articles?page[number]=99999999999999999999").status == 400)
  }
}
