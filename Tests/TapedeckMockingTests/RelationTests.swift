import MockingSupport
import TapedeckHTTP
import TapedeckMocking
import Testing

/// Not the one of the testing library.
typealias Tag = MockingSupport.Tag

/// Knows nothing of relations, hence takes what does not throw.
private func upsertUnknowingly<T: Storable>(_ entity: T, _ store: Store) { store.upsert(entity) }

@Suite struct `O. Relations` {
  private func store() throws -> Store {
    let store = Store(ids: .perType())
    try store.create(Author.self, number: 2)
    try store.create(Essay.self, number: 3)
    return store
  }

  @Test func `K244 properties are all the declaration there is, and hold the keys`() throws {
    let store = try store()
    let article = try store.update(Essay.self, id: "1") { $0.author = ToOne(store.the(Author.self, "2")) }
    #expect(article.author.id == "2")
    #expect(store.find(article.author)?.name == "author")
    #expect(store.the(Author.self, "2").essays.ids == ["1"])
    #expect(store.findAll(store.the(Author.self, "2").essays) == [article])
    #expect(try article.json()?["author"] == "2")
    #expect(
      try store.the(Author.self, "2").json() == [
        "id": "2", "name": "author", "essays": ["1"], "profile": .null,
      ])
  }

  @Test func `K245 one to one: whoever is set, both sides know, and the former ones are let go`() throws {
    let store = try store()
    try store.create(Profile.self, number: 2)
    try store.update(Profile.self, id: "1") { $0.owner.id = "1" }
    #expect(store.the(Author.self, "1").profile.id == "1")
    try store.update(Author.self, id: "2") { $0.profile.id = "1" }
    #expect(store.the(Profile.self, "1").owner.id == "2")
    #expect(store.the(Author.self, "1").profile.isEmpty)
    try store.update(Author.self, id: "2") { $0.profile.id = "2" }
    #expect(store.the(Profile.self, "1").owner.isEmpty)
    try store.update(Author.self, id: "2") { $0.profile = ToOne(nil) }
    #expect(store.the(Profile.self, "2").owner.isEmpty)
  }

  @Test func `K245 one to many, from the side of the one`() throws {
    let store = try store()
    try store.update(Author.self, id: "1") { $0.essays = ToMany(ids: ["3", "1", "3"]) }
    #expect(store.the(Author.self, "1").essays.ids == ["3", "1"])
    #expect(store.findAll(Essay.self).map(\.author.id) == ["1", nil, "1"])
    try store.update(Author.self, id: "2") { $0.essays.append(id: "1") }
    #expect(store.the(Author.self, "1").essays.ids == ["3"])
    #expect(store.the(Essay.self, "1").author.id == "2")
    try store.update(Author.self, id: "2") { $0.essays.removeAll() }
    #expect(store.findAll(Essay.self).map(\.author.id) == [nil, nil, "1"])
  }

  @Test func `K245 one to many, from the side of the many`() throws {
    let store = try store()
    for id in ["2", "1"] { try store.update(Essay.self, id: id) { $0.author.id = "1" } }
    #expect(store.the(Author.self, "1").essays.ids == ["2", "1"])
    try store.update(Essay.self, id: "2") { $0.author.id = "2" }
    #expect(store.findAll(Author.self).map(\.essays.ids) == [["1"], ["2"]])
    try store.update(Essay.self, id: "2") { $0.author.id = nil }
    #expect(store.findAll(Author.self).map(\.essays.ids) == [["1"], []])
  }

  @Test func `K245 many to many`() throws {
    let store = try store()
    for id in ["a", "b", "c"] { try store.insert(Tag(id: id)) }
    try store.update(Essay.self, id: "1") { $0.tags = ToMany(ids: ["a", "b"]) }
    try store.update(Tag.self, id: "b") { $0.essays.append(id: "2") }
    #expect(store.findAll(Tag.self).map(\.essays.ids) == [["1"], ["1", "2"], []])
    #expect(store.findAll(Essay.self).map(\.tags.ids) == [["a", "b"], ["b"], []])
    try store.update(Essay.self, id: "1") { $0.tags = ToMany(ids: ["c", "b"]) }
    #expect(store.findAll(Tag.self).map(\.essays.ids) == [[], ["1", "2"], ["1"]])
    #expect(store.the(Essay.self, "1").tags.ids == ["c", "b"])
  }

  @Test func `K245 what is new may be related at once`() throws {
    let store = try store()
    let article = try store.insert { Essay(id: $0, author: ToOne(id: "2")) }
    #expect(store.the(Author.self, "2").essays.contains(article))
    try store.upsert(Essay(id: "9", author: ToOne(id: "2")))
    #expect(store.the(Author.self, "2").essays.ids == [article.id, "9"])
    try store.insert(Tag(id: "x"))
    #expect(try store.insert(Essay(id: "10", tags: ToMany(ids: ["x", "x"]))).tags.ids == ["x"])
    #expect(store.the(Tag.self, "x").essays.ids == ["10"])
  }

  @Test func `K245 a copy that has grown old undoes nothing`() throws {
    let store = try store()
    var old = store.the(Author.self, "1")
    try store.update(Essay.self, id: "1") { $0.author.id = "1" }
    old.name = "renamed"
    try store.update(old)
    #expect(store.the(Author.self, "1").essays.ids == ["1"])
    try store.update(Author(id: "1", name: "made anew"))
    #expect(store.the(Author.self, "1").essays.ids == ["1"])

    var (one, other) = (store.the(Author.self, "1"), store.the(Author.self, "1"))
    one.essays.append(id: "2")
    other.essays.remove(id: "1")
    other.essays.append(id: "3")
    try store.update(one)
    try store.update(other)
    #expect(store.the(Author.self, "1").essays.ids == ["2", "3"])
    #expect(store.findAll(Essay.self).map(\.author.id) == [nil, "1", "1"])
  }

  @Test func `K245 an order of one's own stays`() throws {
    let store = try store()
    try store.update(Author.self, id: "1") { $0.essays = ToMany(ids: ["1", "2", "3"]) }
    try store.update(Author.self, id: "1") { $0.essays.ids.reverse() }
    #expect(store.the(Author.self, "1").essays.ids == ["3", "2", "1"])
    #expect(store.findAll(Essay.self).allSatisfy { $0.author.id == "1" })
  }

  @Test func `K246 friends are friends of one another, and may be their own`() throws {
    let store = Store(ids: .perType())
    try store.create(Companion.self, number: 3)
    try store.update(Companion.self, id: "1") { $0.friends = ToMany(ids: ["2", "1"]) }
    #expect(store.findAll(Companion.self).map(\.friends.ids) == [["2", "1"], ["1"], []])
    try store.update(Companion.self, id: "3") { $0.friends = ToMany(ids: ["1", "2"]) }
    #expect(store.findAll(Companion.self).map(\.friends.ids) == [["2", "1", "3"], ["1", "3"], ["1", "2"]])
    try store.update(Companion.self, id: "1") { $0.friends.removeAll() }
    #expect(store.findAll(Companion.self).map(\.friends.ids) == [[], ["3"], ["2"]])
  }

  @Test func `K246 partners leave the partners they had`() throws {
    let store = Store(ids: .perType())
    try store.create(Spouse.self, number: 4)
    try store.update(Spouse.self, id: "1") { $0.partner.id = "2" }
    try store.update(Spouse.self, id: "3") { $0.partner.id = "4" }
    try store.update(Spouse.self, id: "2") { $0.partner.id = "3" }
    #expect(store.findAll(Spouse.self).map(\.partner.id) == [nil, "3", "2", nil])
    try store.update(Spouse.self, id: "2") { $0.partner.id = "2" }
    #expect(store.findAll(Spouse.self).map(\.partner.id) == [nil, "2", nil, nil])
  }

  @Test func `K246 parents and children`() throws {
    let store = Store(ids: .perType())
    try store.create(Node.self, number: 4)
    try store.update(Node.self, id: "1") { $0.children = ToMany(ids: ["2", "3"]) }
    try store.update(Node.self, id: "4") { $0.parent.id = "3" }
    #expect(store.findAll(Node.self).map(\.parent.id) == [nil, "1", "1", "3"])
    try store.update(Node.self, id: "2") { $0.children = ToMany(ids: ["3"]) }
    #expect(store.findAll(Node.self).map(\.children.ids) == [["2"], ["3"], ["4"], []])
    try store.update(Node.self, id: "1") { $0.parent.id = "4" }
    #expect(store.findAll(Node.self).map(\.parent.id) == ["4", "1", "2", "3"])
  }

  @Test func `K247 polymorphic, to one`() throws {
    let store = try store()
    try store.create(Remark.self)
    let like = try store.insert { Like(id: $0, subject: .to(store.the(Essay.self, "1"))) }
    #expect(store.the(Essay.self, "1").likes.ids == [like.id])
    #expect(store.find(like.subject, as: Essay.self)?.id == "1")
    #expect(store.find(like.subject, as: Remark.self) == nil)
    #expect((store.find(like.subject) as? Essay)?.id == "1")
    #expect(try like.json()?["subject"] == ["type": "Essay", "id": "1"])
    try store.update(Remark.self, id: "1") { $0.likes.append(like) }
    #expect(store.the(Essay.self, "1").likes.isEmpty)
    #expect(store.the(Like.self, "1").subject.type == Remark.self)
    try store.update(Like.self, id: "1") { $0.subject = .empty }
    #expect(store.the(Remark.self, "1").likes.isEmpty)
  }

  @Test func `K247 polymorphic, to many, and a foreign type is refused`() throws {
    let store = try store()
    try store.create(Remark.self)
    try store.create(Bookmark.self)
    try store.update(Bookmark.self, id: "1") {
      $0.pages.append(Essay.self, id: "2")
      $0.pages.append(Remark.self, id: "1")
    }
    let bookmark = store.the(Bookmark.self, "1")
    #expect(bookmark.pages.ids(of: Essay.self) == ["2"])
    #expect(store.findAll(bookmark.pages, as: Remark.self).map(\.id) == ["1"])
    #expect(
      throws: StoreError.badRelation(
        type: "Bookmark", id: "1", relation: "pages", .foreignTarget(allowed: "Essay or Remark"))
    ) { try store.update(Bookmark.self, id: "1") { $0.pages.append(store.the(Author.self, "1")) } }
    #expect(store.the(Bookmark.self, "1").pages == bookmark.pages)
    try store.delete(Remark.self, id: "1")
    #expect(store.the(Bookmark.self, "1").pages.count == 1)
  }

  @Test func `K249 a missing record is reported, and nothing is changed`() throws {
    let store = try store()
    try store.update(Essay.self, id: "1") { $0.author.id = "1" }
    let missing = StoreError.missingRelated(
      type: "Essay", id: "1", relation: "author", relatedType: "Author", relatedID: "7")
    #expect(throws: missing) {
      try store.update(Essay.self, id: "1") {
        $0.text = "changed"
        $0.author.id = "7"
      }
    }
    #expect(
      "\(missing)"
        == #"Essay.author of the id "1" leads to a Author with the id "7", which the store does not have"#)
    #expect(store.the(Essay.self, "1").text == "text")
    #expect(store.the(Author.self, "1").essays.ids == ["1"])
    #expect(throws: StoreError.self) { try store.insert { Essay(id: $0, author: ToOne(id: "7")) } }
    #expect(throws: StoreError.self) { try store.insert(Essay(id: "a", tags: ToMany(ids: ["none"]))) }
    #expect(throws: StoreError.self) { try store.upsert(Essay(id: "1", author: ToOne(id: "7"))) }
    #expect(throws: StoreError.self) {
      try store.update(Author.self, id: "1") { $0.essays = ToMany(ids: ["2", "7"]) }
    }
    #expect(store.count(Essay.self) == 3)
    #expect(store.findAll(Author.self).map(\.essays.ids) == [["1"], []])
    #expect(throws: StoreError.self) {
      try store.findOrCreate(Essay.self) {
        $0.text == "none"
      } make: {
        Essay(id: $0, author: ToOne(id: "7"))
      }
    }
  }

  @Test func `K249 what does not throw stops the program`() async {
    await #expect(processExitsWith: .failure) {
      upsertUnknowingly(Essay(id: "1", author: ToOne(id: "7")), Store())
    }
  }

  @Test func `K250 what is deleted is detached everywhere`() throws {
    let store = try store()
    try store.insert(Tag(id: "a"))
    try store.create(Companion.self)
    try store.create(Bookmark.self)
    try store.update(Essay.self, id: "1") {
      $0.author.id = "1"
      $0.tags.append(id: "a")
    }
    try store.update(Bookmark.self, id: "1") {
      $0.person.id = "1"
      $0.pages.append(Essay.self, id: "1")
    }
    try store.delete(Essay.self, id: "1")
    #expect(store.the(Author.self, "1").essays.isEmpty)
    #expect(store.the(Tag.self, "a").essays.isEmpty)
    #expect(store.the(Bookmark.self, "1").pages.isEmpty)
    try store.delete(Companion.self, id: "1")
    #expect(store.the(Bookmark.self, "1").person.isEmpty)
  }

  @Test func `K250 a cascade takes with it what an entity leads to, and no more`() throws {
    let store = try store()
    try store.create(Remark.self, number: 3)
    try store.update(Essay.self, id: "1") { $0.remarks = ToMany(ids: ["1", "2"]) }
    for id in ["1", "3"] {
      try store.insert { Like(id: $0, subject: .to(Remark.self, id: id)) }
    }
    try store.insert { Like(id: $0, subject: .to(Essay.self, id: "1")) }
    try store.delete(Essay.self, id: "1")
    #expect(store.findAll(Remark.self).map(\.id) == ["3"])
    #expect(store.findAll(Like.self).map(\.id) == ["1", "2"])
    #expect(store.the(Like.self, "1").subject.isEmpty)

    try store.create(Node.self, number: 4)
    for (child, parent) in [("2", "1"), ("3", "2"), ("1", "3")] {
      try store.update(Node.self, id: child) { $0.parent.id = parent }
    }
    try store.delete(Node.self, id: "2")
    #expect(store.findAll(Node.self).map(\.id) == ["4"])
  }

  @Test func `K250 deleting by predicate, and all at once`() throws {
    let store = try store()
    try store.update(Author.self, id: "1") { $0.essays = ToMany(ids: ["1", "2", "3"]) }
    #expect(store.delete(Essay.self) { $0.id != "2" }.count == 2)
    #expect(store.the(Author.self, "1").essays.ids == ["2"])
  }

  @Test func `K175 relations are dumped and loaded, whole or not at all`() throws {
    let store = try store()
    try store.update(Author.self, id: "1") { $0.essays = ToMany(ids: ["3", "1"]) }
    try store.insert { Like(id: $0, subject: .to(Essay.self, id: "1")) }
    let dump = try store.dump()
    let other = Store()
    try other.load(dump, Author.self, Essay.self, Like.self)
    #expect(try other.dump() == dump)
    #expect(other.the(Author.self, "1").essays.ids == ["3", "1"])
    #expect(throws: StoreError.self) { try Store().load(dump, Author.self) }

    let short: JSONValue = [
      "Author": [["id": "1", "name": "Ada"]], "Essay": [["id": "1", "text": "", "author": "1"]],
    ]
    let third = Store()
    try third.load(short, Author.self, Essay.self)
    #expect(third.the(Author.self, "1").essays.ids == ["1"])
  }

  @Test func `K175 a snapshot has its relations`() throws {
    let store = try store()
    try store.update(Essay.self, id: "1") { $0.author.id = "1" }
    let snapshot = store.snapshot()
    try store.delete(Author.self, id: "1")
    store.restore(snapshot)
    #expect(store.the(Essay.self, "1").author.id == "1")
    try store.delete(Essay.self, id: "1")
    #expect(store.the(Author.self, "1").essays.isEmpty)
  }
}

@Suite struct `O. Documents with related entities` {
  private func store() throws -> Store {
    let store = Store(ids: .perType())
    try store.create(Author.self, number: 2)
    try store.create(Essay.self, number: 3)
    try store.create(Remark.self, number: 2)
    try store.update(Author.self, id: "1") { $0.essays = ToMany(ids: ["1", "2"]) }
    try store.update(Essay.self, id: "1") { $0.remarks = ToMany(ids: ["1", "2"]) }
    try store.insert { Like(id: $0, subject: .to(Remark.self, id: "2")) }
    return store
  }

  @Test func `K263 what is wanted is written in its place, the rest as ids`() throws {
    let store = try store()
    let article = try #require(
      try store.embedding(store.the(Essay.self, "1"), "author", "remarks.likes").json())
    #expect(article["author"] == ["id": "1", "name": "author", "essays": ["1", "2"], "profile": .null])
    #expect(
      article["remarks"] == [
        ["id": "1", "article": "1", "likes": []],
        ["id": "2", "article": "1", "likes": [["id": "1", "subject": ["type": "Remark", "id": "2"]]]],
      ])
    #expect(article["tags"] == [])
    let all = try #require(try store.embedding(store.findAll(Essay.self), "author").json()?.array)
    #expect(all.map { $0["author"]?["id"]?.text } == ["1", "1", nil])
    #expect(all[2]["author"] == .null)
  }

  @Test func `K263 embedding survives cycles: an entity inside itself is its id`() throws {
    let store = try store()
    let article = try #require(
      try store.embedding(store.the(Essay.self, "1"), "author.essays.author.essays").json())
    #expect(article["author"]?["essays"]?[0] == "1")
    #expect(article["author"]?["essays"]?[1]?["id"] == "2")
    #expect(article["author"]?["essays"]?[1]?["author"] == "1")
    let people = Store(ids: .perType())
    try people.create(Companion.self, number: 2)
    try people.update(Companion.self, id: "1") { $0.friends = ToMany(ids: ["1", "2"]) }
    #expect(
      try people.embedding(people.findAll(Companion.self), "friends").json() == [
        ["id": "1", "friends": ["1", ["id": "2", "friends": ["1"]]]],
        ["id": "2", "friends": [["id": "1", "friends": ["1", "2"]]]],
      ])
  }

  @Test func `K263 sideloading has everything once, and survives cycles`() throws {
    let store = try store()
    let document = try #require(
      try store.sideloading(
        [store.the(Essay.self, "1"), store.the(Essay.self, "3")], "author.essays.author", "remarks"
      ).json())
    #expect(document.members?.map(\.name.text) == ["essays", "authors", "remarks"])
    #expect(document["essays"]?.array?.map { $0["id"]?.text } == ["1", "3", "2"])
    #expect(document["authors"]?.array?.count == 1)
    #expect(document["remarks"]?.array?.count == 2)
    let one = try #require(try store.sideloading(store.the(Remark.self, "2"), "likes.subject").json())
    #expect(one.members?.map(\.name.text) == ["remark", "likes"])
    #expect(one["likes"]?[0]?["subject"]?["id"] == "2")
  }

  @Test func `K263 keys are transformed, inside as outside`() throws {
    let store = try store()
    let text = try KeyStyleTransformer(
      store.embedding(store.the(Remark.self, "1"), "article.author"), .pascal
    ).json()
    #expect(text?["Article"]?["Author"]?["Name"] == "author")
    let beside = try KeyStyleTransformer(store.sideloading(store.findAll(Remark.self), "article"), .pascal)
      .json()
    #expect(beside?["Essays"]?[0]?["Text"] == "text")
  }

  @Test func `K263 a relation that is not there is reported`() throws {
    let store = try store()
    let error = StoreError.badRelation(type: "Author", id: "", relation: "books", .noRelation)
    #expect(throws: error) { try store.embedding(store.findAll(Essay.self), "author.books") }
    #expect(throws: StoreError.self) { try store.sideloading(store.findAll(Essay.self), "text") }
  }

  @Test func `K263 what is gone is left out, what has changed is new`() throws {
    let store = try store()
    let (old, author) = (store.the(Essay.self, "1"), store.the(Author.self, "1"))
    try store.delete(Author.self, id: "1")
    try store.update(Remark.self, id: "2") { $0.article.id = nil }
    #expect(try store.embedding(old, "author").json()?["author"] == .null)
    #expect(try store.embedding(author, "essays").json()?["essays"]?.array?.count == 2)
    try store.delete(Essay.self, id: "2")
    #expect(try store.embedding(author, "essays").json()?["essays"]?.array?.count == 1)
  }
}
