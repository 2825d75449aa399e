/// An entity with relations: properties of the types ``ToOne``, ``ToMany``, ``ToOneOf`` and ``ToManyOf``.
///
/// The store finds these properties and keeps both sides in sync: setting a post's author adds the post to
/// the author's posts. If several properties of the target could be the inverse, ``relations`` names it.
///
/// ```swift
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
/// A relation may name an entity that does not exist, so store changes throw for these types.
/// `router.jsonAPI` serves the relations of types that are also `Codable`.
public protocol Related: Storable {
  /// Rules for relations that the properties alone do not determine; usually empty.
  static var relations: [RelationRule<Self>] { get }
}

extension Related {
  public static var relations: [RelationRule<Self>] { [] }
}

/// A rule for one relation of `Owner`.
public struct RelationRule<Owner: Related>: Sendable {
  /// The offset of the property; `nil` if it is not stored.
  let offset: Int?
  let name: String
  let apply: @Sendable (inout StoredRelation) -> Void

  private init(
    _ property: PartialKeyPath<Owner>, _ apply: @escaping @Sendable (inout StoredRelation) -> Void
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

  /// Names the inverse property: `.inverse(\.author, \.posts)`. One of the two sides is enough.
  public static func inverse<Target>(
    _ property: KeyPath<Owner, ToOne<Target>>, _ inverse: PartialKeyPath<Target>
  ) -> RelationRule {
    RelationRule(property, inverse: inverse)
  }

  /// Names the inverse property: `.inverse(\.posts, \.author)`.
  public static func inverse<Target>(
    _ property: KeyPath<Owner, ToMany<Target>>, _ inverse: PartialKeyPath<Target>
  ) -> RelationRule {
    RelationRule(property, inverse: inverse)
  }

  /// Declares that the relation has no inverse.
  public static func oneWay(_ property: PartialKeyPath<Owner>) -> RelationRule {
    RelationRule(property) { $0.isOneWay = true }
  }

  /// Deletes the targets together with the entity.
  public static func cascade(_ property: PartialKeyPath<Owner>) -> RelationRule {
    RelationRule(property) { $0.cascades = true }
  }
}
