import MockingSupport
import TapedeckHTTP
import TapedeckMocking
import Testing

private struct Dog: JSONAPIEntity, JSONAPILinkedEntity {
  let id: String
  var links: [String: JSONAPILink]? = [
    "test": .simple(value: "/dogs"), "full": .object(href: "/d", meta: ["someKey": 1]),
  ]
}

private struct Owner: JSONAPIEntity, JSONAPILinkedEntity {
  let id: String
  var dog = Dog(id: "1")
  var dogs = [Dog(id: "2"), Dog(id: "3")]
  var none: Dog?
  let relationshipsLinks: [String: [String: JSONAPILink]]? = [
    "dog": ["self": .simple(value: "/owner/dog"), "related": .object(href: "/dog")],
    "dogs": ["prev": .simple(value: "p"), "next": .simple(value: "n")],
  ]
}

private struct Plain: JSONAPIEntity, JSONAPILinkedEntity {
  let id: String
  var dog = APIDog(id: "2")
}

@Suite struct `K. JSON:API links` {
  private let dogLinks: JSONValue = ["full": ["href": "/d", "meta": ["someKey": 1]], "test": "/dogs"]

  @Test func `K203 an entity's links are inside its data`() throws {
    let json = try document(JSONAPISerializer(Dog(id: "1"), topLevelLinks: ["self": .simple(value: "/x")]))
    #expect(json["data"]?["links"] == dogLinks)
    #expect(json["links"] == ["self": "/x"])
    #expect(Dog(id: "1").serialized()?["links"] == dogLinks)
  }

  @Test func `K204 links at the top are texts and objects`() throws {
    let links: [String: JSONAPILink] = [
      "self": "/me", "next": .object(href: "/next", meta: ["page": 2]),
    ]
    #expect(
      try document(JSONAPISerializer([Dog(id: "1")], topLevelLinks: links))["links"]
        == ["next": ["href": "/next", "meta": ["page": 2]], "self": "/me"])
    #expect(try document(JSONAPISerializer([Dog(id: "1")], topLevelLinks: [:]))["links"] == [:])
    #expect(try document(JSONAPISerializer([Dog(id: "1")]))["links"] == nil)
  }

  @Test func `K205 links of relationships are under their names`() throws {
    let relationships = try document(JSONAPISerializer(Owner(id: "1")))["data"]?["relationships"]
    #expect(relationships?["dog"]?["links"] == ["related": ["href": "/dog"], "self": "/owner/dog"])
    #expect(relationships?["dogs"]?["links"] == ["next": "n", "prev": "p"])
    #expect(relationships?["dogs"]?["data"]?.array?.count == 2)
    #expect(relationships?["none"] == nil)
  }

  @Test func `K206 links inside included resources and in each element`() throws {
    let included = try document(JSONAPISerializer(Owner(id: "1")))["included"]?.array
    #expect(included?.map { $0["links"] } == [dogLinks, dogLinks, dogLinks])
    let data = try document(JSONAPISerializer([Dog(id: "1"), Dog(id: "2")]))["data"]?.array
    #expect(data?.map { $0["links"] } == [dogLinks, dogLinks])
  }

  @Test func `K207 no links, no member`() throws {
    let data = try document(JSONAPISerializer(Plain(id: "1")))["data"]
    #expect(data?["links"] == nil)
    #expect(data?["relationships"]?["dog"]?.names == ["data"])
    #expect(Dog(id: "1", links: [:]).serialized()?["links"] == nil)
  }

  @Test func `K208 links are no attributes`() throws {
    #expect(try document(JSONAPISerializer(Dog(id: "1")))["data"]?["attributes"] == nil)
    #expect(try document(JSONAPISerializer(Owner(id: "1")))["data"]?["attributes"] == nil)
  }

  @Test func `K145 a link's own members are not transformed, its meta is`() throws {
    let json = try document(SnakecaseTransformer(JSONAPISerializer(Dog(id: "1"))))
    #expect(json["data"]?["links"]?["full"] == ["href": "/d", "meta": ["some_key": 1]])
  }

  @Test func `K209 links say all that JSON:API knows, and null`() throws {
    let details = JSONAPILink.Details(
      rel: "help", describedby: .simple(value: "/schema"), title: "Help", type: "text/html",
      hreflang: ["en", "de"])
    let links: [String: JSONAPILink] = [
      "about": .object(href: "/help", details: details), "prev": .null,
      "next": .object(href: "/n", details: JSONAPILink.Details(hreflang: ["en"])),
    ]
    #expect(
      try document(JSONAPISerializer([Dog(id: "1")], topLevelLinks: links))["links"] == [
        "about": [
          "href": "/help", "rel": "help", "describedby": "/schema", "title": "Help", "type": "text/html",
          "hreflang": ["en", "de"],
        ], "next": ["href": "/n", "hreflang": "en"], "prev": nil,
      ])
  }
}
