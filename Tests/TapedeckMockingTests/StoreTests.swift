import MockingSupport
import TapedeckHTTP
import TapedeckMocking
import Testing

struct StoredUser: Storable, Serializable, Codable, Equatable {
  let id: String
  var name: String
  var age = 0

  init(id: String, store: Store) {
    self.id = id
    name = "user \(id)"
  }

  init(id: String, name: String, age: Int = 0) {
    self.id = id
    self.name = name
    self.age = age
  }
}

struct StoredComment: Storable, Serializable, Codable, Equatable {
  let id: String
  var text = "text"
  var likes = 0

  init(id: String, store: Store) { self.id = id }
  init(id: String, text: String) {
    self.id = id
    self.text = text
  }
}

private typealias User = StoredUser
private typealias Comment = StoredComment

private enum Other {
  struct StoredUser: Storable, Serializable {
    let id: String
    init(id: String, store: Store) { self.id = id }
  }
}

@Suite struct `I. Store` {
  @Test func `K153 find by id; ids start at 0 and are shared by all types`() {
    let store = Store()
    #expect(store.create(User.self, number: 3).map(\.id) == ["0", "1", "2"])
    #expect(store.create(Comment.self, number: 2).map(\.id) == ["3", "4"])
    #expect(store.find(User.self, id: "1")?.name == "user 1")
    #expect(store.find(Comment.self, id: "3") != nil)
    #expect(store.insert { User(id: $0, name: "x") }.id == "5")
    #expect(store.create(User.self, number: 0) == [])
  }

  @Test func `K154 another type's id finds nothing`() {
    let store = Store()
    store.create(User.self, number: 3)
    store.create(Comment.self, number: 2)
    #expect(store.find(Comment.self, id: "2") == nil)
    #expect(store.find(User.self, id: "3") == nil)
  }

  @Test func `K155 an object with another id than the given one is refused`() async {
    await #expect(processExitsWith: .failure) { _ = Store().insert { _ in StoredUser(id: "99", name: "x") } }
  }

  @Test func `K156 filter`() {
    let store = Store()
    store.create(User.self, number: 20)
    #expect(store.filter(User.self) { $0.id == "7" }.map(\.name) == ["user 7"])
    #expect(store.filter(User.self) { $0.id == "77" } == [])
    #expect(store.filter(Comment.self) { _ in true } == [])
  }

  @Test func `K157 update replaces, and refuses what it does not know`() throws {
    let store = Store()
    store.create(User.self, number: 2)
    try store.update(User(id: "1", name: "Ada"))
    #expect(store.findAll(User.self).map(\.name) == ["user 0", "Ada"])
    #expect(throws: StoreError.invalidEntity(type: "StoredUser", id: "5")) {
      try store.update(User(id: "5", name: "x"))
    }
    #expect(store.count(User.self) == 2)
  }

  @Test func `K158 update and delete of another type with the same id throw and change nothing`() {
    let store = Store()
    store.create(User.self)
    let stranger = Comment(id: "0", text: "x")
    #expect(throws: StoreError.self) { try store.update(stranger) }
    #expect(throws: StoreError.self) { try store.delete(stranger) }
    #expect(store.findAll(User.self).map(\.name) == ["user 0"])
    #expect(store.count(Comment.self) == 0)
  }

  @Test func `K159 entities of another store count by type and id`() throws {
    let (store, other) = (Store(), Store())
    store.create(User.self, number: 2)
    var stranger = other.create(User.self)[0]
    stranger.name = "stranger"
    try store.update(stranger)
    #expect(store.find(User.self, id: "0")?.name == "stranger")
    try store.delete(stranger)
    #expect(store.findAll(User.self).map(\.id) == ["1"])
    #expect(other.count(User.self) == 1)
  }

  @Test func `K160 delete looks at the id alone, and refuses what it does not know`() throws {
    let store = Store()
    store.create(User.self, number: 3)
    try store.delete(User(id: "1", name: "somebody else"))
    #expect(store.findAll(User.self).map(\.id) == ["0", "2"])
    #expect(throws: StoreError.invalidEntity(type: "StoredUser", id: "1")) {
      try store.delete(User(id: "1", name: "x"))
    }
    #expect(store.find(User.self, id: "1") == nil)
    #expect(store.find(User.self, id: "2")?.id == "2")
  }

  @Test func `K161 all of 2000 are deleted one by one`() throws {
    let store = Store()
    for user in store.create(User.self, number: 2000) { try store.delete(user) }
    #expect(store.findAll(User.self) == [])
    #expect(store.count(User.self) == 0)
  }

  @Test func `K161 what is left after many deletions is in order and found`() throws {
    let store = Store()
    store.create(User.self, number: 1000)
    for id in 0..<1000 where id % 3 != 0 { try store.delete(User.self, id: "\(id)") }
    let left = stride(from: 0, to: 1000, by: 3).map { "\($0)" }
    #expect(store.count(User.self) == left.count)
    for id in left { #expect(store.find(User.self, id: id)?.id == id) }
    #expect(store.findAll(User.self).map(\.id) == left)
    for id in left { #expect(store.find(User.self, id: id)?.id == id) }
    #expect(store.create(User.self)[0].id == "1000")
  }

  private struct Parent: Storable {
    let id: String
    let children: [User]

    init(id: String, store: Store) {
      self.id = id
      children = store.create(User.self, number: 2)
    }
  }

  @Test func `K169 an initialiser makes related objects`() {
    let store = Store()
    let parent = store.create(Parent.self)[0]
    #expect(parent.id == "0")
    #expect(parent.children.map(\.id) == ["1", "2"])
    #expect(store.findAll(User.self) == parent.children)
  }

  @Test func `K170 the error tells type and id`() {
    let error = StoreError.invalidEntity(type: "User", id: "7")
    #expect((error.type, error.id) == ("User", "7"))
    #expect("\(error)" == #"the store has no User with the id "7""#)
    #expect(StoreError.duplicateID(type: "User", id: "7").id == "7")
  }

  @Test func `K171 types of one name do not share a place`() throws {
    let store = Store()
    store.create(User.self, number: 2)
    store.create(Other.StoredUser.self, number: 2)
    #expect(store.findAll(User.self).map(\.id) == ["0", "1"])
    #expect(store.findAll(Other.StoredUser.self).map(\.id) == ["2", "3"])
    #expect(throws: StoreError.self) { try store.delete(Other.StoredUser.self, id: "0") }
    let names = try #require(try store.dump().members).map(\.name.text)
    #expect(names.count == 2)
    #expect(names[1].contains("Other.StoredUser"))
  }

  @Test func `K173 find takes as long in many as in few`() {
    func time(_ count: Int) -> Duration {
      let store = Store()
      store.create(User.self, number: count)
      return (0..<3).map { _ in
        ContinuousClock().measure {
          for _ in 0..<2000 { _ = store.find(User.self, id: "\(count - 1)") }
        }
      }.min() ?? .zero
    }
    #expect(time(20_000) < time(10) * 20)
  }

  @Test func `K174 ids of one's own`() throws {
    let store = Store()
    try store.insert(User(id: "ada", name: "Ada"))
    #expect(throws: StoreError.duplicateID(type: "StoredUser", id: "ada")) {
      try store.insert(User(id: "ada", name: "x"))
    }
    try store.insert(User(id: "7", name: "x"))
    #expect(store.create(User.self)[0].id == "8")
    #expect(store.findAll(User.self).map(\.id) == ["ada", "7", "8"])
    store.upsert(User(id: "ada", name: "Ada L"))
    store.upsert(User(id: "20", name: "new"))
    #expect(store.findAll(User.self).map(\.name) == ["Ada L", "x", "user 8", "new"])
    #expect(store.create(Comment.self)[0].id == "21")
  }

  @Test func `K174 an id that is being made is taken`() {
    let store = Store()
    let user = store.insert { id in
      #expect(store.find(User.self, id: id) == nil)
      #expect(store.count(User.self) == 0)
      #expect(throws: StoreError.self) { try store.insert(User(id: id, name: "thief")) }
      return User(id: id, name: "owner")
    }
    #expect(store.findAll(User.self) == [user])
  }

  @Test func `K174 an id whose maker failed is free again, and no id is given twice`() throws {
    struct Failed: Error {}
    let store = Store()
    #expect(throws: Failed.self) {
      try store.insert { (_) throws -> User in throw Failed() }
    }
    #expect(store.count(User.self) == 0)
    #expect(store.create(User.self)[0].id == "1")
    try store.insert(User(id: "0", name: "x"))
  }

  @Test func `K174 strategies`() {
    let perType = Store(ids: .perType())
    #expect(perType.create(User.self, number: 2).map(\.id) == ["1", "2"])
    #expect(perType.create(Comment.self, number: 2).map(\.id) == ["1", "2"])
    let (one, same, other) = (Store(ids: .uuid(seed: 1)), Store(ids: .uuid(seed: 1)), Store(ids: .uuid()))
    let ids = one.create(User.self, number: 3).map(\.id)
    #expect(ids == same.create(User.self, number: 3).map(\.id))
    #expect(Set(ids).count == 3)
    #expect(
      ids[0].wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
    #expect(other.create(User.self)[0].id != ids[0])
    let custom = Store(ids: .custom { type, number in "\(type)-\(number / 2)" })
    #expect(
      custom.create(User.self, number: 2).map(\.id) == ["StoredUser-0", "StoredUser-1"])
    #expect(custom.create(Comment.self)[0].id == "StoredComment-1")
    #expect(Store(ids: .counter(from: 10)).create(User.self)[0].id == "10")
  }

  @Test func `K175 reset empties data and ids`() {
    let store = Store()
    store.create(User.self, number: 5)
    store.reset()
    #expect(store.findAll(User.self) == [])
    #expect(store.create(Comment.self)[0].id == "0")
  }

  @Test func `K175 a snapshot is gone back to`() throws {
    let store = Store()
    store.create(User.self, number: 3)
    let snapshot = store.snapshot()
    try store.delete(User.self, id: "0")
    store.create(Comment.self, number: 3)
    try store.update(User(id: "1", name: "changed"))
    for _ in 0..<2 {
      store.restore(snapshot)
      #expect(store.findAll(User.self).map(\.name) == ["user 0", "user 1", "user 2"])
      #expect(store.count(Comment.self) == 0)
      #expect(store.create(Comment.self)[0].id == "3")
    }
  }

  @Test func `K175 a dump is loaded elsewhere`() throws {
    let store = Store()
    store.create(Comment.self)
    store.create(User.self, number: 2)
    try store.delete(User.self, id: "1")
    let dump = try store.dump()
    #expect(
      dump == [
        "StoredComment": [["id": "0", "text": "text", "likes": 0]],
        "StoredUser": [["id": "2", "name": "user 2", "age": 0]],
      ])
    let other = Store()
    try other.load(dump, User.self, Comment.self)
    #expect(try other.dump()["StoredUser"] == dump["StoredUser"])
    #expect(other.findAll(Comment.self) == store.findAll(Comment.self))
    #expect(other.create(User.self)[0].id == "3")
  }

  @Test func `K175 a dump is loaded whole or not at all`() throws {
    let store = Store()
    try store.insert(Comment(id: "9", text: "here"))
    let clash: JSONValue = [
      "StoredUser": [["id": "1", "name": "a", "age": 1]],
      "StoredComment": [["id": "9", "text": "x", "likes": 0]],
    ]
    #expect(throws: StoreError.duplicateID(type: "StoredComment", id: "9")) {
      try store.load(clash, User.self, Comment.self)
    }
    let broken: JSONValue = ["StoredUser": [["id": "1", "name": "a", "age": 1], ["id": "2"]]]
    #expect(throws: DecodingError.self) { try store.load(broken, User.self) }
    let twice: JSONValue = [
      "StoredUser": [["id": "1", "name": "a", "age": 1], ["id": "1", "name": "b", "age": 1]]
    ]
    #expect(throws: StoreError.self) { try store.load(twice, User.self) }
    #expect(store.count(User.self) == 0)
  }

  @Test func `K176 queries`() throws {
    let store = Store()
    for (name, age) in [("Bob", 3), ("Ada", 1), ("Cyd", 2), ("Ada", 2)] {
      store.insert { User(id: $0, name: name, age: age) }
    }
    #expect(store.first(User.self)?.name == "Bob")
    #expect(store.first(Comment.self) == nil)
    #expect(store.first(User.self) { $0.age == 2 }?.name == "Cyd")
    #expect(store.findBy(User.self, \.name, "Ada")?.id == "1")
    #expect(store.findBy(User.self, \.name, "Zoe") == nil)
    #expect(store.findAllBy(User.self, \.name, "Ada").map(\.id) == ["1", "3"])
    #expect(store.findAll(User.self, sortedBy: \.age).map(\.id) == ["1", "2", "3", "0"])
    #expect(store.findAll(User.self, sortedBy: \.age, descending: true).map(\.id) == ["0", "2", "3", "1"])
    #expect(store.count(User.self) == 4)
    #expect(store.count(User.self) { $0.age > 1 } == 3)
    #expect(store.delete(User.self) { $0.name == "Ada" }.map(\.id) == ["1", "3"])
    #expect(store.count(User.self) == 2)
  }

  @Test func `K176 pages`() {
    let store = Store()
    store.create(User.self, number: 25)
    let last = store.page(User.self, number: 3, size: 10)
    #expect(last.items.map(\.id) == ["20", "21", "22", "23", "24"])
    #expect((last.total, last.pageCount, last.hasNext, last.hasPrevious) == (25, 3, false, true))
    #expect(store.page(User.self, number: 4, size: 10).items == [])
    #expect(store.page(User.self, number: 0, size: 0).items.map(\.id) == ["0"])
    #expect(store.page(User.self, number: .max, size: .max).items == [])
    #expect(
      store.page(User.self, number: 1, size: 2) { $0.id.hasSuffix("5") }.items.map(\.id) == ["5", "15"])
  }

  @Test func `K176 find or create`() {
    let store = Store()
    let made = store.findOrCreate(User.self) {
      $0.name == "Ada"
    } make: {
      User(id: $0, name: "Ada")
    }
    let found = store.findOrCreate(User.self) {
      $0.name == "Ada"
    } make: {
      User(id: $0, name: "Ada")
    }
    #expect(made == found)
    #expect(store.count(User.self) == 1)
  }

  @Test func `an entity is changed in place`() throws {
    let store = Store()
    store.create(User.self, number: 2)
    #expect(try store.update(User.self, id: "1") { $0.age += 5 }.age == 5)
    #expect(store.find(User.self, id: "1")?.age == 5)
    #expect(throws: StoreError.self) { try store.update(User.self, id: "9") { $0.age = 1 } }
  }
}

/// An update whose closure works on the store, too.
@Suite(.timeLimit(.minutes(1))) struct `I. Updates inside of updates` {
  @Test func `K163 an update may make and change others of its type`() throws {
    let store = Store(ids: .perType())
    store.create(User.self, number: 2)
    var runs = 0
    try store.update(User.self, id: "1") { user in
      runs += 1
      store.create(User.self)
      try store.update(User(id: "2", name: "changed"))
      user.name = "first"
    }
    #expect(runs == 1)
    #expect(store.findAll(User.self).map(\.name) == ["first", "changed", "user 3"])
  }

  @Test func `K163 an update may relate others to what it changes`() throws {
    let store = Store(ids: .perType())
    try store.create(Author.self)
    try store.update(Author.self, id: "1") { author in
      try store.insert { Essay(id: $0, author: ToOne(id: "1")) }
      author.name = "Ada"
    }
    #expect(store.the(Author.self, "1").name == "Ada")
    #expect(store.the(Author.self, "1").essays.ids == ["1"])
  }

  @Test func `an update that changes the very entity is given up, with a reason`() throws {
    let store = Store(ids: .perType())
    store.create(User.self)
    #expect {
      try store.update(User.self, id: "1") { user in
        try store.update(User(id: "1", name: "behind its back", age: user.age + 1))
      }
    } throws: { error in
      error as? StoreError == .unsettled(type: "StoredUser", id: "1") && "\(error)".contains("closure")
    }
    #expect(store.count(User.self) == 1)
  }

  @Test func `K176 what is found or made may make others`() throws {
    let store = Store(ids: .perType())
    var runs = 0
    let made = store.findOrCreate(User.self) {
      $0.name == "wanted"
    } make: { id in
      runs += 1
      store.create(User.self)
      return User(id: id, name: "wanted")
    }
    #expect((runs, made.id, store.count(User.self)) == (1, "1", 2))
  }
}
