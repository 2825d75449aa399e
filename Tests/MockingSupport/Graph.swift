package import TapedeckMocking

/// Entities that are related in every way.
package struct Author: Related, Serializable, Codable, Equatable {
  package let id: String
  package var name = "author"
  package var essays = ToMany<Essay>()
  package var profile = ToOne<Profile>()

  package init(id: String, store: Store) { self.id = id }
  package init(id: String, name: String = "author") {
    self.id = id
    self.name = name
  }
}

package struct Profile: Related, Serializable, Codable, Equatable {
  package let id: String
  package var owner = ToOne<Author>()

  package init(id: String, store: Store) { self.id = id }
}

package struct Essay: Related, Serializable, Codable, Equatable {
  package let id: String
  package var text = "text"
  package var author = ToOne<Author>()
  package var tags = ToMany<Tag>()
  package var remarks = ToMany<Remark>()
  package var likes = ToMany<Like>()

  package static let relations: [RelationRule<Essay>] = [.cascade(\.remarks), .cascade(\.likes)]

  package init(id: String, store: Store) { self.id = id }
  package init(id: String, author: ToOne<Author> = ToOne(), tags: ToMany<Tag> = ToMany()) {
    self.id = id
    self.author = author
    self.tags = tags
  }
}

package struct Tag: Related, Serializable, Codable, Equatable {
  package let id: String
  package var essays = ToMany<Essay>()

  package init(id: String, store: Store) { self.id = id }
  package init(id: String) { self.id = id }
}

package struct Remark: Related, Serializable, Codable, Equatable {
  package let id: String
  package var article = ToOne<Essay>()
  package var likes = ToMany<Like>()

  package init(id: String, store: Store) { self.id = id }
}

/// What may be liked is of two types.
package struct Like: Related, Serializable, Codable, Equatable {
  package let id: String
  package var subject = ToOneOf<Essay, Remark>()

  package init(id: String, store: Store) { self.id = id }
  package init(id: String, subject: ToOneOf<Essay, Remark>) {
    self.id = id
    self.subject = subject
  }
}

package struct Companion: Related, Serializable, Equatable {
  package let id: String
  package var friends = ToMany<Companion>()

  package init(id: String, store: Store) { self.id = id }
}

package struct Spouse: Related {
  package let id: String
  package var partner = ToOne<Spouse>()

  package static let relations: [RelationRule<Spouse>] = [.inverse(\.partner, \.partner)]

  package init(id: String, store: Store) { self.id = id }
}

package struct Node: Related, Serializable {
  package let id: String
  package var parent = ToOne<Node>()
  package var children = ToMany<Node>()

  package static let relations: [RelationRule<Node>] = [.inverse(\.parent, \.children), .cascade(\.children)]

  package init(id: String, store: Store) { self.id = id }
}

/// Knows what it has bookmarked; what is bookmarked does not know.
package struct Bookmark: Related {
  package let id: String
  package var person = ToOne<Companion>()
  package var pages = ToManyOf<Essay, Remark>()

  package init(id: String, store: Store) { self.id = id }
}

extension Store {
  /// The entity of this id, which has to be there.
  package func the<T: Storable>(_ type: T.Type, _ id: String) -> T {
    guard let entity = find(type, id: id) else { preconditionFailure("there is no \(type) \(id)") }
    return entity
  }
}
