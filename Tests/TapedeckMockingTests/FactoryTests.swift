import MockingSupport
import TapedeckHTTP
import TapedeckMocking
import Testing

/// Something to be made by factories.
struct Account: Related, Serializable, Codable, Equatable {
  struct Address: Serializable, Codable, Equatable, Sendable {
    var city = ""
    var lines: [String] = []
  }

  let id: String
  var name = ""
  var email = ""
  var nickname: String? = "none"
  var rank = 0
  var isAdmin = false
  var address = Address()
  var notes: [String] = []
  var orders = ToMany<Order>()

  init(id: String, store: Store) { self.id = id }
}

struct Order: Related, Serializable, Codable, Equatable {
  let id: String
  var total = 0
  var account = ToOne<Account>()

  init(id: String, store: Store) { self.id = id }
}

@Suite struct `O. Factories` {
  private let accounts = Factory(Account.self) { account in
    account.set(\.email) { "\(try $0[\.nickname] ?? "").\($0.number)@example.com".lowercased() }
    account.set(\.nickname) { "\(try $0[\.name]) the \(try $0[\.rank])." }
    account.set(\.name) { $0.number % 2 == 0 ? "Ada" : "Bob" }
    account.set(\.rank) { $0.number + 1 }
    account.set(\.address.city, "Berlin")
    account.trait("admin") {
      $0.set(\.isAdmin, true)
      $0.set(\.rank, 100)
      $0.afterCreate { account, store in try note("admin", account, store) }
    }
    account.trait("abroad") {
      $0.set(\.address, Account.Address(city: "Oslo", lines: ["1"]))
      $0.set(\.rank, 50)
      $0.afterCreate { account, store in try note("abroad", account, store) }
    }
    account.afterCreate { account, store in try note("base", account, store) }
  }

  @Test func `K251 literals, sequences and nested values`() throws {
    let store = Store(ids: .perType())
    let made = try accounts.createList(3, in: store)
    #expect(made.map(\.id) == ["1", "2", "3"])
    #expect(made.map(\.name) == ["Ada", "Bob", "Ada"])
    #expect(made.map(\.rank) == [1, 2, 3])
    #expect(made[0].address == Account.Address(city: "Berlin"))
    #expect(store.findAll(Account.self) == made)
    #expect(try accounts.create(in: store).rank == 4)
    store.reset()
    #expect(try accounts.create(in: store).rank == 1)
  }

  @Test func `K251 attributes depend on one another in any order`() throws {
    #expect(try accounts.build().email == "ada the 1..0@example.com")
    #expect(try accounts.build { $0.set(\.name, "Zoe") }.nickname == "Zoe the 1.")
    #expect(try accounts.build { $0.set(\.nickname, nil) }.email == ".0@example.com")
    #expect(try accounts.build { $0.set(\.nickname) { _ in nil } }.nickname == nil)
  }

  @Test func `K251 a cycle is reported`() throws {
    let store = Store()
    let circular = accounts.extended { account in
      account.set(\.rank) { try $0[\.email].count }
    }
    #expect(
      throws: SeedingError.cycle(["Account.email", "Account.nickname", "Account.rank", "Account.email"])
    ) { try circular.create(in: store) }
    #expect(store.count(Account.self) == 0)
    #expect(
      "\(SeedingError.cycle(["User.a", "User.b", "User.a"]))"
        == "attributes depend on one another: User.a → User.b → User.a")
  }

  @Test func `K251 a factory is extended`() throws {
    let guests = accounts.extended { account in
      account.set(\.name, "Guest")
      account.afterCreate { account, store in try note("guest", account, store) }
    }
    let guest = try guests.create(in: Store(), "abroad")
    #expect((guest.name, guest.address.city) == ("Guest", "Oslo"))
    #expect(guest.notes == ["base", "guest", "abroad"])
    #expect(try accounts.build().name == "Ada")
  }

  @Test func `K251 a part may be set behind the whole, and the whole behind a part`() throws {
    let whole = try accounts.build("abroad") { $0.set(\.address.city, "Bergen") }
    #expect(whole.address == Account.Address(city: "Bergen", lines: ["1"]))
    #expect(try accounts.build("abroad").address.city == "Oslo")
  }

  @Test func `K252 traits combine, the later one wins, and what is said at the call wins over all`() throws {
    let both = try accounts.build("admin", "abroad")
    #expect((both.isAdmin, both.rank, both.address.city) == (true, 50, "Oslo"))
    #expect(try accounts.build("abroad", "admin").rank == 100)
    #expect(try accounts.build("abroad", "admin") { $0.set(\.rank, 7) }.nickname == "Ada the 7.")
  }

  @Test func `K252 unknown traits are errors`() throws {
    let store = Store()
    let error = SeedingError.unknownTrait("boss", known: ["abroad", "admin"])
    #expect(throws: error) { try accounts.create(in: store, "admin", "boss") }
    #expect("\(error)" == #"there is no trait "boss"; there are "abroad", "admin""#)
    #expect(store.count(Account.self) == 0)
  }

  @Test func `K253 hooks run base first, then those of the traits in order, and not for build`() throws {
    let store = Store()
    #expect(try accounts.create(in: store, "abroad", "admin").notes == ["base", "abroad", "admin"])
    #expect(
      try accounts.create(in: store, "admin") {
        $0.afterCreate { account, store in try note("call", account, store) }
      }.notes == ["base", "admin", "call"])
    #expect(try accounts.build("admin").notes == [])
  }

  @Test func `K254 an association makes the partner, unless it is overridden`() throws {
    let store = Store(ids: .perType())
    let orders = Factory(Order.self) { $0.associate(\.account, accounts, "admin") }
    let order = try orders.create(in: store)
    #expect(store.find(order.account)?.isAdmin == true)
    #expect(store.the(Account.self, "1").orders.contains(order))
    let other = try orders.create(in: store) { $0.set(\.account, ToOne(id: "1")) }
    #expect(store.count(Account.self) == 1)
    #expect(store.the(Account.self, "1").orders.ids == ["1", other.id])
    #expect(try orders.build().account.isEmpty)
    #expect(try orders.create(in: store) { $0.set(\.account, ToOne(nil)) }.account.isEmpty)
  }

  @Test func `K254 an association with many, and none for an entity that fails`() throws {
    let store = Store(ids: .perType())
    let orders = Factory(Order.self) { $0.set(\.total) { $0.fake.int(1...100) } }
    let buyers = accounts.extended { $0.associate(\.orders, orders, count: 3) }
    #expect(try buyers.create(in: store).orders.ids == ["1", "2", "3"])
    #expect(store.findAll(Order.self).allSatisfy { $0.account.id == "1" })
    struct Failed: Error {}
    #expect(throws: Failed.self) { try buyers.create(in: store) { $0.set(\.rank) { _ in throw Failed() } } }
    #expect((store.count(Order.self), store.count(Account.self)) == (3, 1))
  }

  @Test func `K255 create and createList keep, build and buildList do not`() throws {
    let store = Store()
    #expect(try accounts.create(in: store) { $0.id = "ada" }.id == "ada")
    #expect(throws: StoreError.duplicateID(type: "Account", id: "ada")) {
      try accounts.create(in: store) { $0.id = "ada" }
    }
    #expect(try accounts.createList(2, in: store, "admin") { $0.set(\.name, "x") }.map(\.name) == ["x", "x"])
    #expect(try accounts.buildList(3).map(\.rank) == [1, 2, 3])
    #expect(try accounts.build().id == "")
    #expect(store.count(Account.self) == 3)
    #expect(try accounts.createList(0, in: store) == [])
  }

  @Test func `K255 a negative amount is an error`() {
    #expect(throws: SeedingError.badAmount(-1)) { try accounts.createList(-1, in: Store()) }
    #expect(throws: SeedingError.badAmount(-1)) { try accounts.buildList(-1) }
  }

  @Test func `K256 a scenario seeds the store at the start, and a test starts empty`() throws {
    let scenarios: Scenarios = [
      "default": { store in try accounts.createList(2, in: store) },
      "crowded": { store in try accounts.createList(50, in: store) },
    ]
    #expect(try Store(scenarios: scenarios).count(Account.self) == 2)
    #expect(try Store(scenarios: scenarios, start: "crowded").count(Account.self) == 50)
    let store = try Store(scenarios: scenarios, start: nil)
    #expect(store.count(Account.self) == 0)
    try scenarios.run("crowded", in: store)
    #expect(store.count(Account.self) == 50)
    let error = SeedingError.unknownScenario("empty", known: ["crowded", "default"])
    #expect(throws: error) { try Store(scenarios: scenarios, start: "empty") }
    #expect(try Store(scenarios: Scenarios()).count(Account.self) == 0)
  }

  @Test func `K257 fixtures are loaded, all or some`() throws {
    var fixtures = Fixtures()
    let order: JSONValue = ["id": "7", "total": 3, "account": "x"]
    fixtures.add("accounts", [try accounts.build { $0.id = "x" }])
    try fixtures.add("orders", Order.self, json: [order])
    let store = Store()
    try fixtures.load(into: store)
    #expect(store.the(Account.self, "x").orders.ids == ["7"])
    #expect(try store.create(Order.self)[0].id == "8")
    let some = Store()
    try fixtures.load("accounts", into: some)
    #expect((some.count(Account.self), some.count(Order.self)) == (1, 0))
  }

  @Test func `K257 unknown fixtures are errors, and nothing is loaded in part`() throws {
    var fixtures = Fixtures()
    fixtures.add("accounts", [try accounts.build { $0.id = "x" }])
    try fixtures.add("orders", Order.self, json: [["id": "7", "total": 3, "account": "gone"]])
    let store = Store()
    #expect(throws: SeedingError.unknownFixtures("users", known: ["accounts", "orders"])) {
      try fixtures.load("accounts", "users", into: store)
    }
    #expect(throws: StoreError.self) { try fixtures.load(into: store) }
    #expect(store.count(Account.self) == 0)
    try fixtures.load("accounts", into: store)
    #expect(throws: StoreError.duplicateID(type: "Account", id: "x")) {
      try fixtures.load("accounts", into: store)
    }
    #expect(throws: DecodingError.self) { try fixtures.add("orders", Order.self, json: [["id": 7]]) }
  }
}

/// For the factories of the tests: what a hook leaves behind.
private func note(_ note: String, _ account: Account, _ store: Store) throws {
  try store.update(Account.self, id: account.id) { $0.notes.append(note) }
}

@Suite struct `O. Fake values` {
  @Test func `K251 fake values are the same for the same seed`() {
    func values(_ seed: UInt64) -> [String] {
      var fake = Fake(seed: seed)
      return [
        fake.name(), fake.email(), fake.sentence(), fake.paragraph(), fake.title(), fake.city(),
        fake.street(),
        fake.company(), fake.url(), fake.uuid(), fake.date(within: 10), "\(fake.int(1...6))",
        "\(fake.bool())",
        "\(fake.double(0...1))", fake.username(),
      ]
    }
    #expect(values(7) == values(7))
    #expect(values(7) != values(8))
    var fake = Fake(seed: 1)
    #expect(fake.name() == "Mina Sato")
  }

  @Test func `K251 fake values are what they say`() throws {
    var fake = Fake(seed: 3)
    for _ in 0..<200 {
      #expect(fake.email().hasSuffix("@example.com"))
      #expect((1...6).contains(fake.int(1...6)))
      #expect(fake.sentences(3).filter { $0 == "." }.count == 3)
      #expect(("2025-12-22T00:00:00Z"..."2026-01-01T00:00:00Z").contains(fake.date(within: 10)))
      #expect(fake.date(within: 0, before: "2020-02-29T01:02:03Z") == "2020-02-29T01:02:03Z")
    }
    #expect(Set((0..<200).map { _ in fake.name() }).count > 150)
    #expect((0..<1000).count { _ in fake.bool(0.1) } < 200)
    #expect(fake.words(-1) == [])
  }

  @Test func `K251 an entity of a factory is the same whoever makes the others`() throws {
    let accounts = Factory(Account.self) { $0.set(\.name) { $0.fake.name() } }
    let many = try accounts.createList(20, in: Store()).map(\.name)
    let store = Store()
    #expect(try (0..<20).map { _ in try accounts.create(in: store).name } == many)
    #expect(Set(many).count > 15)
    let other = Factory(Account.self, seed: 1) { $0.set(\.name) { $0.fake.name() } }
    #expect(try other.buildList(20).map(\.name) != many)
  }
}
