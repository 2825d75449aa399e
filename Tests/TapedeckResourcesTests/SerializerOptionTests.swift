import MockingSupport
import TapedeckHTTP
import TapedeckMocking
import TapedeckResources
import Testing

private struct Company: Storable, Codable, RelatedEntity {
  let id: String
  var name = "Acme"

  static let relationships: [Relationship<Company>] = [.inverse("writers", Writer.self, of: \.companyID)]

  init(id: String, store: Store) { self.id = id }
}

private struct Writer: Storable, Codable, RelatedEntity {
  let id: String
  var name = "Ada"
  var companyID: String? = "c"

  static let relationships: [Relationship<Writer>] = [.toOne("company", Company.self, \.companyID)]

  init(id: String, store: Store) { self.id = id }
}

private struct Story: Related, Codable {
  let id: String
  var headLine = "Swift"
  var views = 3
  var writer = ToOne<Author>()
  var storyTags = ToMany<Tag>()

  init(id: String, store: Store) { self.id = id }
}

/// Says itself how it looks.
private struct Note: SerializedResource, Codable {
  static let serializer: any ResourceSerializer = RESTSerializer(style: .kebab, attributes: ["noteText"])

  let id: String
  var noteText = "text"
  var secret = 1

  init(id: String, store: Store) { self.id = id }
}

@Suite struct `O. Serializers` {
  private let store = Store(ids: .perType())
  private let router = Router()

  private func get(_ path: String) async throws -> JSONValue {
    try JSONValue(parsing: try await router.answered(path).body)
  }

  private func story(_ options: RESTSerializer) async throws -> JSONValue {
    try store.insert(Author(id: "7"))
    for id in ["a", "b"] { try store.insert(Tag(id: id)) }
    try store.create(Story.self)
    try store.update(Story.self, id: "1") {
      $0.writer.id = "7"
      $0.storyTags.ids = ["a", "b"]
    }
    router.rest(store, Story.self, at: "/stories", as: options)
    return try await get("/stories/1")
  }

  @Test func `K261 a type's serializer counts, then the application's, then the standard`() async throws {
    store.create(Note.self)
    store.create(Writer.self)
    store.create(Company.self)
    router.rest(store, Note.self, at: "/app/notes", as: .snakeCase).resource(Writer.self, at: "/app/writers")
      .resource(Company.self, at: "/app/companies", as: RESTSerializer(style: .pascal))
    router.rest(store, Note.self, at: "/notes").resource(Writer.self, at: "/writers")
    router.get("/plain") { _ in ["noteText": "x"] }
    for path in ["/app/notes/1", "/notes/1"] {
      #expect(try await get(path) == ["id": "1", "note-text": "text"])
    }
    #expect(try await get("/notes") == [["id": "1", "note-text": "text"]])
    #expect(
      try await get("/app/writers/1") == ["writer": ["id": "1", "name": "Ada", "company_id": "c"]])
    #expect(try await get("/app/companies/1") == ["id": "1", "Name": "Acme"])
    #expect(try await get("/writers/1") == ["id": "1", "name": "Ada", "companyID": "c"])
    #expect(try await get("/plain") == ["noteText": "x"])
  }

  @Test func `K262 a whitelist of attributes`() async throws {
    let json = try await story(RESTSerializer(attributes: ["views"]))
    #expect(json == ["id": "1", "views": 3, "writer": "7", "storyTags": ["a", "b"]])
    let made = try await router.answer("/stories", .post, body: #"{"headLine":"New"}"#)
    #expect(made?.head.status == 201)
    #expect(store.find(Story.self, id: "2")?.headLine == "New")
  }

  @Test func `K262 included entities stand inside`() async throws {
    let json = try await story(RESTSerializer(attributes: ["name", "views"], include: ["writer"]))
    #expect(
      json == [
        "id": "1", "views": 3,
        "writer": ["id": "7", "name": "author", "essays": [], "profile": nil], "storyTags": ["a", "b"],
      ])
    let sent = try await router.answer("/stories/1", .put, body: "\(json)")
    #expect(sent?.head.status == 200, "what is read can be sent back")
    #expect(store.find(Story.self, id: "1")?.writer.id == "7")
  }

  @Test func `K262 included entities stand beside, each once`() async throws {
    let options = RESTSerializer(hasRoot: true, include: ["writer", "storyTags"], embeds: false)
    let json = try await story(options)
    #expect(json.names == ["story", "authors", "tags"])
    #expect(json["story"]?["writer"] == "7")
    #expect(json["tags"]?.array?.compactMap { $0["id"]?.text } == ["a", "b"])
    try store.create(Story.self)
    try store.update(Story.self, id: "2") { $0.writer.id = "7" }
    let list = try await get("/stories")
    #expect(list.names == ["stories", "authors", "tags", "meta"])
    #expect(list["authors"]?.array?.count == 1)
  }

  @Test func `K262 K263 nested inclusion ends where the paths do`() async throws {
    let company = Company(id: "c", store: store)
    try store.insert(company)
    store.create(Writer.self)
    let inside = RESTSerializer(include: ["company.writers"])
    router.rest(store, Writer.self, at: "/writers", as: inside)
    #expect(
      try await get("/writers/1") == [
        "id": "1", "name": "Ada",
        "company": ["id": "c", "name": "Acme", "writers": [["id": "1", "name": "Ada", "companyID": "c"]]],
      ])
    let beside = RESTSerializer(hasRoot: true, include: ["company.writers"], embeds: false)
    router.rest(store, Writer.self, at: "/beside", as: beside)
    #expect(
      try await get("/beside/1") == [
        "writer": ["id": "1", "name": "Ada", "companyID": "c"],
        "companies": [["id": "c", "name": "Acme", "writers": ["1"]]],
      ])
  }

  @Test(
    arguments: [
      (.always, #"{"id":"1","headLine":"Swift","views":3,"writer":"7","storyTags":["a","b"]}"#),
      (.included, #"{"id":"1","headLine":"Swift","views":3}"#),
      (.never, #"{"id":"1","headLine":"Swift","views":3}"#),
    ] as [(RESTSerializer.RelatedIDs, String)])
  func `K262 ids of relationships`(_ ids: RESTSerializer.RelatedIDs, _ expected: String) async throws {
    #expect("\(try await story(RESTSerializer(ids: ids)))" == expected)
  }

  @Test func `K262 ids of included relationships alone`() async throws {
    let json = try await story(
      RESTSerializer(hasRoot: true, include: ["writer"], embeds: false, ids: .included))
    #expect(json["story"] == ["id": "1", "headLine": "Swift", "views": 3, "writer": "7"])
  }

  @Test func `K262 primary key, root and spellings of one's own, both ways`() async throws {
    let keys = RESTSerializer.Keys(
      entity: { "the_\($0)" }, collection: { "all_\($0)" }, attribute: { $0.uppercased() },
      ids: { name, isToMany in "\(Inflector.english.singular(name))_\(isToMany ? "ids" : "id")" })
    let options = RESTSerializer(style: .snake, hasRoot: true, primaryKey: "_id", keys: keys)
    let json = try await story(options)
    #expect(
      json == [
        "the_story": [
          "_id": "1", "HEADLINE": "Swift", "VIEWS": 3, "writer_id": "7", "storyTag_ids": ["a", "b"],
        ]
      ])
    #expect(try await get("/stories").names == ["all_stories", "meta"])
    let body = #"{"the_story":{"_id":"mine","HEADLINE":"New","writer_id":"7","storyTag_ids":["b"]}}"#
    let made = try await router.answer("/stories", .post, body: body)
    #expect((made?.head.status, made?.field("Location")) == (201, "/stories/mine"))
    let story = store.the(Story.self, "mine")
    #expect((story.headLine, story.writer.id, story.storyTags.ids) == ("New", "7", ["b"]))
  }

  @Test func `a relationship to be included that is not there is named`() async throws {
    try store.create(Story.self)
    router.rest(store, Story.self, at: "/stories", as: RESTSerializer(include: ["nobody"]))
    let response = try await router.answered("/stories/1")
    #expect(response.head.status == 500)
    #expect(response.text.contains("Story has no relationship nobody"))
  }

  @Test(arguments: [
    ("article", "articles"), ("story", "stories"), ("day", "days"), ("box", "boxes"), ("status", "statuses"),
    ("house", "houses"), ("class", "classes"), ("virus", "viruses"), ("match", "matches"),
    ("person", "people"), ("blogPerson", "blogPeople"), ("Person", "People"), ("child", "children"),
    ("knife", "knives"), ("photo", "photos"), ("hero", "heroes"), ("analysis", "analyses"),
    ("sheep", "sheep"), ("news", "news"), ("userID", "userIDs"), ("blog_post", "blog_posts"),
    ("movie", "movies"), ("cache", "caches"), ("size", "sizes"), ("alias", "aliases"), ("page", "pages"),
  ])
  func `K265 singular and plural`(singular: String, plural: String) {
    let inflector = Inflector.english
    #expect(inflector.plural(singular) == plural)
    #expect(inflector.singular(plural) == singular)
    #expect(inflector.plural(plural) == plural || !["people", "sheep", "news"].contains(plural))
  }

  @Test func `K265 exceptions and rules of one's own`() throws {
    let adding = Inflector.english.adding(irregular: ["tag": "tagz"], uncountable: ["author"])
    let store = Store(ids: .perType(), inflector: adding)
    try store.create(Author.self)
    try store.insert(Tag(id: "t"))
    let made = try store.insert { Essay(id: $0, author: ToOne(id: "1"), tags: ToMany(ids: ["t"])) }
    let json = try store.sideloading(made, "author", "tags").json()
    #expect(json?.names == ["essay", "author", "tagz"])
    let copied = try store.copy().sideloading(made, "tags").json()
    #expect(copied?.names == ["essay", "tagz"])
    let german = Inflector(
      irregular: ["baum": "bäume"], plural: { $0 + "en" }, singular: { "\($0.dropLast(2))" })
    #expect(
      (german.plural("frau"), german.singular("frauen"), german.plural("baum")) == ("frauen", "frau", "bäume")
    )
  }
}
