import Dispatch
import MockingSupport
import Synchronization
import TapedeckMocking
import Testing

private typealias User = StoredUser
private typealias Comment = StoredComment

/// Runs `body` so many times at once, on threads.
private func concurrently(_ count: Int, _ body: @Sendable (Int) -> Void) {
  DispatchQueue.concurrentPerform(iterations: count, execute: body)
}

/// Runs `body` on another thread and waits for it, as a queue's `sync` does.
private func elsewhere<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
  let result = Box<Result>()
  let group = DispatchGroup()
  DispatchQueue.global().async(group: group) {
    let value = body()
    result.value.withLock { $0 = value }
  }
  group.wait()
  return result.value.withLock { value in
    guard let value else { preconditionFailure("the group was left before its work was done") }
    return value
  }
}

@Suite struct `I. Store, many threads` {
  @Test func `K150 concurrent creation gives exact counts and unique ids`() {
    let store = Store()
    concurrently(1000) { _ in store.create(User.self) }
    concurrently(5000) { _ in store.create(Comment.self) }
    #expect(store.count(User.self) == 1000)
    #expect(store.count(Comment.self) == 5000)
    #expect(store.find(User.self, id: "1") != nil)
    #expect(store.find(Comment.self, id: "1000") != nil)
    #expect(store.find(Comment.self, id: "1002") != nil)
    let ids = store.findAll(User.self).map(\.id) + store.findAll(Comment.self).map(\.id)
    #expect(Set(ids).count == 6000)
  }

  @Test func `K151 a thousand and twenty thousand`() {
    let store = Store()
    concurrently(1000) { _ in store.create(User.self) }
    store.create(User.self, number: 20_000)
    #expect(store.count(User.self) == 21_000)
    #expect(store.findAll(User.self).count == 21_000)
  }

  @Test func `K152 concurrent inserts keep what each handler made`() {
    let store = Store()
    concurrently(1000) { number in store.insert { User(id: $0, name: "n\(number)", age: number) } }
    let users = store.findAll(User.self)
    #expect(Set(users.map(\.age)) == Set(0..<1000))
    #expect(users.allSatisfy { $0.name == "n\($0.age)" })
  }

  @Test func `K162 concurrent deletes, and updates with deletes, leave none`() throws {
    let store = Store()
    let users = store.create(User.self, number: 100)
    concurrently(100) { number in
      #expect(throws: Never.self) { try store.delete(users[number]) }
    }
    #expect(store.findAll(User.self) == [])
    let others = store.create(User.self, number: 100)
    concurrently(100) { number in
      #expect(throws: Never.self) {
        try store.update(User(id: others[number].id, name: "updated"))
        try store.delete(others[number])
      }
    }
    #expect(store.findAll(User.self) == [])
  }

  @Test func `K163 making inside making`() {
    let store = Store()
    let user = store.insert { id in
      store.create(User.self)
      store.insert { Comment(id: $0, text: "nested") }
      _ = elsewhere {
        store.create(User.self)
        return store.insert { Comment(id: $0, text: "elsewhere") }
      }
      return User(id: id, name: "outer")
    }
    #expect(user.id == "0")
    #expect(store.findAll(User.self).map(\.id) == ["1", "3", "0"])
    #expect(store.findAll(Comment.self).map(\.text) == ["nested", "elsewhere"])
  }

  @Test func `K164 making inside reading`() {
    let store = Store()
    store.create(User.self, number: 2)
    let found = store.filter(User.self) { _ in
      store.create(User.self)
      _ = elsewhere { store.create(User.self) }
      return true
    }
    #expect(found.count == 2)
    #expect(store.count(User.self) == 6)
  }

  @Test func `K165 reading inside reading`() {
    let store = Store()
    store.create(User.self, number: 3)
    let found = store.filter(User.self) { user in
      store.find(User.self, id: user.id) == user
        && elsewhere { store.findAll(User.self).count } == 3
        && store.filter(User.self) { $0 == user }.count == 1
    }
    #expect(found.count == 3)
  }

  @Test func `K166 reading inside making`() {
    let store = Store()
    store.create(User.self, number: 3)
    store.insert { id in
      User(
        id: id,
        name: "\(store.findAll(User.self).count) \(elsewhere { store.find(User.self, id: "1")?.id ?? "" })")
    }
    #expect(store.find(User.self, id: "3")?.name == "3 1")
  }

  @Test func `K167 changing inside making, from another queue`() {
    let store = Store()
    let users = store.create(User.self, number: 3)
    store.insert { id in
      elsewhere {
        #expect(throws: Never.self) {
          try store.update(User(id: "0", name: "updated"))
          try store.delete(users[1])
        }
      }
      #expect(store.find(User.self, id: "0")?.name == "updated")
      return User(id: id, name: "outer")
    }
    #expect(store.findAll(User.self).map(\.name) == ["updated", "user 2", "outer"])
  }

  @Test func `K168 changing inside reading is visible afterwards`() {
    let store = Store()
    store.create(User.self, number: 4)
    let found = store.filter(User.self) { user in
      #expect(throws: Never.self) {
        if user.id == "0" { try store.delete(User.self, id: "3") }
        if user.id == "1" { try store.update(User(id: "2", name: "changed")) }
      }
      return true
    }
    #expect(found.map(\.name) == ["user 0", "user 1", "user 2", "user 3"])
    #expect(store.findAll(User.self).map(\.name) == ["user 0", "user 1", "changed"])
  }

  @Test func `K172 first reads of types that nobody used`() {
    for _ in 0..<50 {
      let store = Store()
      concurrently(8) { number in
        if number % 2 == 0 {
          #expect(store.findAll(User.self) == [])
        } else {
          #expect(store.find(Comment.self, id: "0") == nil)
        }
      }
    }
  }

  @Test func `K176 of many who find or create at once, all get the same`() {
    let store = Store()
    let ids = Box<Set<String>>()
    concurrently(200) { _ in
      let user = store.findOrCreate(User.self) {
        $0.name == "Ada"
      } make: {
        User(id: $0, name: "Ada")
      }
      ids.value.withLock { $0 = ($0 ?? []).union([user.id]) }
    }
    #expect(store.count(User.self) == 1)
    #expect(ids.value.withLock { $0 } == [store.findAll(User.self)[0].id])
  }

  @Test func `changes in place are not lost`() {
    let store = Store()
    store.create(User.self, number: 4)
    concurrently(1000) { number in
      _ = try? store.update(User.self, id: "\(number % 4)") { $0.age += 1 }
    }
    #expect(store.findAll(User.self).map(\.age) == [250, 250, 250, 250])
  }

  /// An object that uses the store when it goes.
  private final class Parting: Storable {
    let id: String
    private let store: Store
    init(id: String, store: Store) {
      self.id = id
      self.store = store
    }
    deinit { store.insert { Comment(id: $0, text: "gone") } }
  }

  @Test func `what goes is let go of where it may use the store`() throws {
    let store = Store()
    store.create(Parting.self, number: 100)
    for id in 0..<90 { try store.delete(Parting.self, id: "\(id)") }
    _ = store.findAll(Parting.self)
    try store.update(Parting(id: "95", store: store))
    store.upsert(Parting(id: "96", store: store))
    #expect(store.count(Comment.self) == 92)
    store.reset()
    #expect(store.count(Comment.self) == 10)
  }
}
