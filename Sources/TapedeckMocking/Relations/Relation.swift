/// A property that leads to entities of a store: ``ToOne``, ``ToMany``, ``ToOneOf`` or ``ToManyOf``.
public protocol Relation: Hashable, Codable, Sendable, Serializable {
  /// Leads nowhere in a new entity; changes nothing in one that is stored already.
  init()
}

extension KeyedDecodingContainer {
  /// Lets JSON leave a relation out.
  public func decode<Property: Relation>(_ type: Property.Type, forKey key: Key) throws -> Property {
    try decodeIfPresent(type, forKey: key) ?? Property()
  }
}

/// What the store and serialization know of a relation.
protocol RelationProperty: Relation, SelfWriting {
  static var isToMany: Bool { get }
  /// Whether it leads to entities of several types.
  static var isPolymorphic: Bool { get }
  static var targets: [any Storable.Type] { get }
  var storage: RelationStorage { get }
}

extension RelationProperty {
  static var writer: ValueWriter { ValueWriter(RelationWriter(Self.self).write) }

  /// The identifiers of the targets, as JSON:API has them; needs no store.
  var linkage: Linkage {
    let types = Self.targets
    let identifiers = storage.targets.compactMap { key in
      types.first { ObjectIdentifier($0) == key.type }.map { type in
        JSONAPIIdentifier(type: MemberName.ofType(type), id: key.id)
      }
    }
    return Self.isToMany ? .many(identifiers) : .one(identifiers.first)
  }
}

/// How a polymorphic relation names an entity.
struct TypedID: Codable {
  let type: String
  let id: String

  init(_ key: EntityKey, among types: [any Storable.Type]) {
    type = types.first { ObjectIdentifier($0) == key.type }.map { "\($0)" } ?? ""
    id = key.id
  }

  func key(among types: [any Storable.Type], _ decoder: any Decoder) throws -> EntityKey {
    guard let found = types.first(where: { "\($0)" == type }) else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "\(type) is none of \(types.listed)"))
    }
    return EntityKey(ObjectIdentifier(found), id)
  }
}

extension [any Storable.Type] {
  /// Like `Post or Comment`.
  var listed: String { map { "\($0)" }.joined(separator: " or ") }

  init<each Target: Storable>(_ types: repeat (each Target).Type) {
    self = []
    repeat append(each types)
  }
}
