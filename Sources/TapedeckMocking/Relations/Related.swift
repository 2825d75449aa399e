/// An entity with relations: properties of the types ``ToOne``, ``ToMany``, ``ToOneOf`` and ``ToManyOf``.
///
/// The store finds these properties and keeps both sides in step: when a post's author is set, the post is among the
/// author's posts. It also finds the inverse of each: the one property of the target type that leads back. Where there
/// are several, ``relations`` names it.
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
/// A relation may name an entity that does not exist, so `try store.create(…)`, `try store.insert { … }` and so on throw
/// for these types: nothing is kept then, and the error says which entity is missing.
///
/// `router.jsonAPI` serves the relations of types that are also `Codable`.
public protocol Related: Storable {
  /// What the properties alone do not say about relations; mostly nothing.
  static var relations: [RelationRule<Self>] { get }
}

extension Related {
  public static var relations: [RelationRule<Self>] { [] }
}

/// A rule for one relation of `Owner`.
public struct RelationRule<Owner: Related>: Sendable {
  /// Where the property lies; nil for one that is not stored.
  let offset: Int?
  let name: String
  let apply: @Sendable (inout RelationPlan.Field) -> Void

  private init(
    _ property: PartialKeyPath<Owner>, _ apply: @escaping @Sendable (inout RelationPlan.Field) -> Void
  ) {
    offset = MemoryLayout<Owner>.offset(of: property)
    name = "\(property)"
    self.apply = apply
  }

  private init<Target>(_ property: PartialKeyPath<Owner>, inverse: PartialKeyPath<Target>) {
    let (target, offset) = (ObjectIdentifier(Target.self), MemoryLayout<Target>.offset(of: inverse))
    let name = "\(inverse)"
    self.init(property) { $0.namedInverses[target] = (offset, name) }
  }

  /// Names the property that leads back: `.inverse(\.author, \.posts)`. One of the two sides names it. An inverse that
  /// leads to several types is named on the other side.
  public static func inverse<Target>(
    _ property: KeyPath<Owner, ToOne<Target>>, _ inverse: PartialKeyPath<Target>
  ) -> RelationRule {
    RelationRule(property, inverse: inverse)
  }

  /// Names the property that leads back: `.inverse(\.posts, \.author)`.
  public static func inverse<Target>(
    _ property: KeyPath<Owner, ToMany<Target>>, _ inverse: PartialKeyPath<Target>
  ) -> RelationRule {
    RelationRule(property, inverse: inverse)
  }

  /// Says that no property of the target leads back.
  public static func oneWay(_ property: PartialKeyPath<Owner>) -> RelationRule {
    RelationRule(property) { $0.isOneWay = true }
  }

  /// Deletes the targets together with the entity.
  public static func cascade(_ property: PartialKeyPath<Owner>) -> RelationRule {
    RelationRule(property) { $0.cascades = true }
  }
}
