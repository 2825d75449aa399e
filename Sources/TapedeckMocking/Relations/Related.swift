/// An entity with relations: properties of the types ``ToOne``, ``ToMany``, ``ToOneOf`` and ``ToManyOf``.
///
/// The store finds these properties and keeps both sides in step: when a post's author is set, the post is among the
/// author's posts. Which property is the inverse of which, it finds out, too: of a type that leads back with one
/// property, it is that one. Where there are several, ``relations`` says which.
///
/// ```swift
/// struct User: Related {
///   let id: String
///   var posts = ToMany<Post>()
///   var reviews = ToMany<Post>()
///   …
/// }
///
/// struct Post: Related {
///   let id: String
///   var author = ToOne<User>()
///   var reviewer = ToOne<User>()
///   var comments = ToMany<Comment>()
///
///   static let relations: [RelationRule<Post>] = [
///     .inverse(\.author, \.posts), .inverse(\.reviewer, \.reviews), .cascade(\.comments),
///   ]
///   …
/// }
/// ```
///
/// What may lead to an entity that is not there is `try store.create(…)`, `try store.insert { … }` and so on for these
/// types: nothing is kept then, and the error says which entity is missing.
///
/// Types that are `Codable`, too, have their relations served by `router.jsonAPI` as they stand.
public protocol Related: Storable {
  /// What is to be said about relations beyond their properties. Nothing, mostly.
  static var relations: [RelationRule<Self>] { get }
}

extension Related {
  public static var relations: [RelationRule<Self>] { [] }
}

/// Something to be said about a relation of `Owner`.
public struct RelationRule<Owner: Related>: Sendable {
  let declared: DeclaredRule

  private init(_ property: PartialKeyPath<Owner>, _ kind: DeclaredRule.Kind) {
    declared = DeclaredRule(offset: MemoryLayout<Owner>.offset(of: property), name: "\(property)", kind: kind)
  }

  /// Names the property that leads back: `.inverse(\.author, \.posts)`. It needs saying on one of the two sides. For an
  /// inverse that leads to several types it is said on the other side.
  public static func inverse<Property: Relation>(
    _ property: KeyPath<Owner, Property>, _ inverse: PartialKeyPath<Property.Target>
  ) -> RelationRule {
    let target = ObjectIdentifier(Property.Target.self)
    let offset = MemoryLayout<Property.Target>.offset(of: inverse)
    return RelationRule(property, .inverse(target: target, offset: offset, name: "\(inverse)"))
  }

  /// Says that a property leads to entities that do not lead back by any of theirs.
  public static func oneWay(_ property: PartialKeyPath<Owner>) -> RelationRule {
    RelationRule(property, .oneWay)
  }

  /// Says that with an entity all that this property leads to is deleted.
  public static func cascade(_ property: PartialKeyPath<Owner>) -> RelationRule {
    RelationRule(property, .cascade)
  }
}

/// A rule, whatever its type.
struct DeclaredRule: Sendable {
  enum Kind: Sendable {
    case inverse(target: ObjectIdentifier, offset: Int?, name: String)
    case oneWay
    case cascade
  }

  /// Where the property lies; nil for one that is not stored.
  let offset: Int?
  let name: String
  let kind: Kind
}
