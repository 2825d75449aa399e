import MockingSupport
import TapedeckMocking
import Testing

/// Declares entities wrongly, one way each.
private struct Writer: Related {
  let id: String
  var books = ToMany<Book>()
  init(id: String, store: Store) { self.id = id }
}

private struct Book: Related {
  let id: String
  var author = ToOne<Writer>()
  var editor = ToOne<Writer>()
  init(id: String, store: Store) { self.id = id }
}

private struct Critic: Related {
  let id: String
  var books = ToMany<Review>()
  var best = ToMany<Review>()
  static var relations: [RelationRule<Critic>] { [.inverse(\.books, \.critic), .inverse(\.best, \.critic)] }
  init(id: String, store: Store) { self.id = id }
}

private struct Review: Related {
  let id: String
  var critic = ToOne<Critic>()
  init(id: String, store: Store) { self.id = id }
}

private struct Reply: Related {
  let id: String
  var to = ToOne<Reply>()
  init(id: String, store: Store) { self.id = id }
}

private struct Silent: Related {
  let id: String
  var talkative = ToOne<Talkative>()
  static var relations: [RelationRule<Silent>] { [.oneWay(\.talkative)] }
  init(id: String, store: Store) { self.id = id }
}

private struct Talkative: Related {
  let id: String
  var silents = ToMany<Silent>()
  static var relations: [RelationRule<Talkative>] { [.inverse(\.silents, \.talkative)] }
  init(id: String, store: Store) { self.id = id }
}

private struct Astray: Related {
  let id: String
  var person = ToOne<Companion>()
  static var relations: [RelationRule<Astray>] { [.inverse(\.person, \.friends)] }
  init(id: String, store: Store) { self.id = id }
}

private struct Nowhere: Related {
  let id: String
  static var relations: [RelationRule<Nowhere>] { [.cascade(\.id)] }
  init(id: String, store: Store) { self.id = id }
}

private struct Maybe: Related {
  let id: String
  var author: ToOne<Author>?
  init(id: String, store: Store) { self.id = id }
}

private final class Shared: Related {
  let id: String
  let author = ToOne<Author>()
  init(id: String, store: Store) { self.id = id }
}

/// Two relations to one type, told apart on either side.
private struct Match: Related {
  let id: String
  var home = ToOne<Team>()
  var guest = ToOne<Team>()
  static var relations: [RelationRule<Match>] { [.inverse(\.home, \.homeMatches)] }
  init(id: String, store: Store) { self.id = id }
}

private struct Team: Related {
  let id: String
  var homeMatches = ToMany<Match>()
  var guestMatches = ToMany<Match>()
  init(id: String, store: Store) { self.id = id }
}

@Suite struct `O. Inverses` {
  /// The relation that is reported and what about it.
  private func problem<T: Related>(of type: T.Type) -> (relation: String, problem: RelationProblem)? {
    do throws(StoreError) {
      try Store().create(type)
      return nil
    } catch {
      guard case .badRelation(_, _, let relation, let problem) = error else { return nil }
      return (relation, problem)
    }
  }

  @Test func `K248 ambiguous inverses are reported`() throws {
    let writer = try #require(problem(of: Writer.self))
    #expect(writer.relation == "books")
    #expect(writer.problem == .ambiguousInverse(candidates: ["Book.author", "Book.editor"]))
    #expect("\(writer.problem)".hasPrefix("has no clear inverse: Book.author and Book.editor would do"))
    #expect(problem(of: Book.self)?.problem == .ambiguousInverse(candidates: ["Book.author", "Book.editor"]))
    #expect(problem(of: Reply.self)?.problem == .ambiguousInverse(candidates: ["Reply.to itself", "none"]))
    #expect(throws: StoreError.self) { try Store.checkRelations(of: Author.self, Book.self) }
    #expect(throws: Never.self) { try Store.checkRelations(of: Author.self, Essay.self, Like.self) }
  }

  @Test func `K248 contradictory inverses are reported`() {
    guard case .contradictoryInverse = problem(of: Critic.self)?.problem,
      case .contradictoryInverse = problem(of: Review.self)?.problem,
      case .contradictoryInverse(let oneWay) = problem(of: Silent.self)?.problem,
      case .contradictoryInverse = problem(of: Talkative.self)?.problem,
      case .contradictoryInverse(let astray) = problem(of: Astray.self)?.problem
    else {
      Issue.record("a contradiction went unnoticed")
      return
    }
    #expect(oneWay == "it leads one way, and Talkative.silents names it")
    #expect(astray.hasSuffix("does not lead to Astray"))
  }

  @Test func `K248 what cannot be a relation is reported`() {
    #expect(problem(of: Nowhere.self)?.problem == .noRelation)
    #expect(problem(of: Maybe.self)?.relation == "author")
    #expect(problem(of: Shared.self)?.problem == .unsupported("entities with relations are structs"))
  }

  @Test func `K248 of two pairs one has to be named`() throws {
    let store = Store(ids: .perType())
    try store.create(Team.self, number: 2)
    try store.create(Match.self)
    try store.update(Match.self, id: "1") {
      $0.home.id = "1"
      $0.guest.id = "2"
    }
    #expect(store.findAll(Team.self).map(\.homeMatches.ids) == [["1"], []])
    #expect(store.findAll(Team.self).map(\.guestMatches.ids) == [[], ["1"]])
  }
}
