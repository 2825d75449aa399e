import Dispatch
import MockingSupport
import TapedeckMocking
import TestSupport
import Testing

/// Whatever is done, by however many at once, both sides of every relation agree.
@Suite struct `O. The law of relations` {
  private static let ids = (1...8).map { "\($0)" }

  private func store() throws -> Store {
    let store = Store(ids: .perType())
    try store.create(Author.self, number: 8)
    try store.create(Profile.self, number: 8)
    try store.create(Essay.self, number: 8)
    try store.create(Tag.self, number: 8)
    try store.create(Remark.self, number: 8)
    try store.create(Like.self, number: 8)
    try store.create(Companion.self, number: 8)
    try store.create(Spouse.self, number: 8)
    try store.create(Node.self, number: 8)
    return store
  }

  /// Something at random. What it is about may be gone by then, which is an error and no more.
  private func change(_ store: Store, _ random: inout SeededGenerator) throws {
    let (one, other) = (
      Self.ids[Int.random(in: 0..<8, using: &random)], Self.ids[Int.random(in: 0..<8, using: &random)]
    )
    let some = Self.ids.filter { _ in Bool.random(using: &random) }.shuffled(using: &random)
    switch Int.random(in: 0..<16, using: &random) {
    case 0: try store.update(Author.self, id: one) { $0.essays = ToMany(ids: some) }
    case 1: try store.update(Author.self, id: one) { $0.essays.append(id: other) }
    case 2: try store.update(Essay.self, id: one) { $0.author.id = other }
    case 3: try store.update(Author.self, id: one) { $0.profile.id = other }
    case 4:
      try store.update(Profile.self, id: one) { $0.owner.id = Bool.random(using: &random) ? other : nil }
    case 5: try store.update(Essay.self, id: one) { $0.tags = ToMany(ids: some) }
    case 6: try store.update(Tag.self, id: one) { $0.essays.remove(id: other) }
    case 7: try store.update(Like.self, id: one) { $0.subject = .to(Essay.self, id: other) }
    case 8: try store.update(Remark.self, id: one) { $0.likes = ToMany(ids: some) }
    case 9: try store.update(Companion.self, id: one) { $0.friends = ToMany(ids: some) }
    case 10: try store.update(Spouse.self, id: one) { $0.partner.id = other }
    case 11: try store.update(Node.self, id: one) { $0.children = ToMany(ids: some) }
    case 12: try store.update(Node.self, id: one) { $0.parent.id = other }
    case 13: try store.delete(Essay.self, id: one)
    case 14: try store.insert(Essay(id: one, author: ToOne(id: other), tags: ToMany(ids: some)))
    default: try store.delete(Like.self, id: one)
    }
  }

  private func expectAgreement(_ store: Store) {
    let (authors, articles, tags) = (
      store.findAll(Author.self), store.findAll(Essay.self), store.findAll(Tag.self)
    )
    expectAgreement(authors.map { ($0.id, $0.essays.ids) }, articles.map { ($0.id, $0.author.list) })
    expectAgreement(tags.map { ($0.id, $0.essays.ids) }, articles.map { ($0.id, $0.tags.ids) })
    expectAgreement(
      authors.map { ($0.id, $0.profile.list) }, store.findAll(Profile.self).map { ($0.id, $0.owner.list) })
    let likes = store.findAll(Like.self)
    expectAgreement(
      articles.map { ($0.id, $0.likes.ids) },
      likes.map { ($0.id, $0.subject.id(of: Essay.self).map { [$0] } ?? []) })
    expectAgreement(
      store.findAll(Remark.self).map { ($0.id, $0.likes.ids) },
      likes.map { ($0.id, $0.subject.id(of: Remark.self).map { [$0] } ?? []) })
    let (people, nodes) = (store.findAll(Companion.self), store.findAll(Node.self))
    expectAgreement(people.map { ($0.id, $0.friends.ids) }, people.map { ($0.id, $0.friends.ids) })
    expectAgreement(nodes.map { ($0.id, $0.children.ids) }, nodes.map { ($0.id, $0.parent.list) })
    let spouses = store.findAll(Spouse.self).map { ($0.id, $0.partner.list) }
    expectAgreement(spouses, spouses)
  }

  private func expectAgreement(_ one: [(id: String, to: [String])], _ other: [(id: String, to: [String])]) {
    let there = Set(one.flatMap { entity in entity.to.map { [entity.id, $0] } })
    let back = Set(other.flatMap { entity in entity.to.map { [$0, entity.id] } })
    #expect(there == back)
    #expect(there.count == one.reduce(0) { $0 + $1.to.count }, "something is there twice")
  }

  @Test(arguments: 0..<20) func `K245 both sides agree after every change`(seed: UInt64) throws {
    let store = try store()
    var random = SeededGenerator(seed)
    for _ in 0..<200 {
      _ = try? change(store, &random)
      expectAgreement(store)
    }
  }

  @Test func `K245 both sides agree, and nobody waits for ever, when many change at once`() throws {
    let store = try store()
    DispatchQueue.concurrentPerform(iterations: 16) { number in
      var random = SeededGenerator(UInt64(number))
      for _ in 0..<300 { _ = try? change(store, &random) }
    }
    expectAgreement(store)
    #expect(store.findAll(Author.self).contains { !$0.essays.isEmpty })
  }
}

extension ToOne {
  fileprivate var list: [String] { id.map { [$0] } ?? [] }
}
