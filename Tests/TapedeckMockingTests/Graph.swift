import TapedeckMocking

/// Entities that are related in every way.
struct Author: Related, Serializable, Codable, Equatable {
  let id: String
  var name = "author"
  var essays = ToMany<Essay>()
  var profile = ToOne<Profile>()

  init(id: String, store: Store) { self.id = id }
  init(id: String, name: String = "author") {
    self.id = id
    self.name = name
  }
}

struct Profile: Related, Serializable, Codable, Equatable {
  let id: String
  var owner = ToOne<Author>()

  init(id: String, store: Store) { self.id = id }
}

struct Essay: Related, Serializable, Codable, Equatable {
  let id: String
  var text = "text"
  var author = ToOne<Author>()
  var tags = ToMany<Tag>()
  var remarks = ToMany<Remark>()
  var likes = ToMany<Like>()

  static let relations: [RelationRule<Essay>] = [.cascade(\.remarks), .cascade(\.likes)]

  init(id: String, store: Store) { self.id = id }
  init(id: String, author: ToOne<Author> = ToOne(), tags: ToMany<Tag> = ToMany()) {
    self.id = id
    self.author = author
    self.tags = tags
  }
}

struct Tag: Related, Serializable, Codable, Equatable {
  let id: String
  var essays = ToMany<Essay>()

  init(id: String, store: Store) { self.id = id }
  init(id: String) { self.id = id }
}

struct Remark: Related, Serializable, Codable, Equatable {
  let id: String
  var article = ToOne<Essay>()
  var likes = ToMany<Like>()

  init(id: String, store: Store) { self.id = id }
}

/// What may be liked is of two types.
struct Like: Related, Serializable, Codable, Equatable {
  let id: String
  var subject = ToOneOf<Essay, Remark>()

  init(id: String, store: Store) { self.id = id }
  init(id: String, subject: ToOneOf<Essay, Remark>) {
    self.id = id
    self.subject = subject
  }
}

struct Companion: Related, Serializable, Equatable {
  let id: String
  var friends = ToMany<Companion>()

  init(id: String, store: Store) { self.id = id }
}

struct Spouse: Related {
  let id: String
  var partner = ToOne<Spouse>()

  static let relations: [RelationRule<Spouse>] = [.inverse(\.partner, \.partner)]

  init(id: String, store: Store) { self.id = id }
}

struct Node: Related, Serializable {
  let id: String
  var parent = ToOne<Node>()
  var children = ToMany<Node>()

  static let relations: [RelationRule<Node>] = [.inverse(\.parent, \.children), .cascade(\.children)]

  init(id: String, store: Store) { self.id = id }
}

/// Knows what it has bookmarked; what is bookmarked does not know.
struct Bookmark: Related {
  let id: String
  var person = ToOne<Companion>()
  var pages = ToManyOf<Essay, Remark>()

  init(id: String, store: Store) { self.id = id }
}

extension Store {
  /// The entity of this id, which has to be there.
  func the<T: Storable>(_ type: T.Type, _ id: String) -> T {
    guard let entity = find(type, id: id) else { preconditionFailure("there is no \(type) \(id)") }
    return entity
  }
}
