/// A property that refers to entities of a store: ``ToOne``, ``ToMany``, ``ToOneOf`` or ``ToManyOf``.
public protocol Relation: Hashable, Codable, Sendable, Serializable {
  /// Creates an empty relation. It changes nothing when an entity that is already stored is updated with it.
  init()
}

extension KeyedDecodingContainer {
  /// Allows JSON without the relation.
  public func decode<Property: Relation>(_ type: Property.Type, forKey key: Key) throws -> Property {
    try decodeIfPresent(type, forKey: key) ?? Property()
  }
}

/// The internals of a relation for the store and serialization.
protocol RelationProperty: Relation, SelfWriting {
  static var isToMany: Bool { get }
  static var isPolymorphic: Bool { get }
  static var targets: [any Storable.Type] { get }
  var storage: RelationStorage { get }
}

extension RelationProperty {
  var typedIDs: [TypedID] { storage.targets.map { TypedID($0, among: Self.targets) } }

  /// The identifiers of the targets for JSON:API; needs no store.
  var linkage: Linkage {
    let identifiers = storage.targets.compactMap { key in
      Self.targets.first(for: key).map { JSONAPIIdentifier(type: MemberName.ofType($0), id: key.id) }
    }
    return Self.isToMany ? .many(identifiers) : .one(identifiers.first)
  }

  static var writer: ValueWriter { writer(name: nil) }

  /// Writes relations as ids, or as the related entities where these are embedded. An entity inside itself is
  /// written as its id, so cycles end.
  /// - Parameter name: the property's name; `nil` if it has none, so it cannot be embedded.
  static func writer(name: String?) -> ValueWriter {
    let isToMany = isToMany
    let types = isPolymorphic ? targets : nil
    return ValueWriter { pointer, run throws(SerializationError) in
      let targets = pointer.assumingMemoryBound(to: RelationStorage.self).pointee.targets
      if isToMany {
        return try run.array(targets.count) { index, run throws(SerializationError) in
          try run.write(relation: name, to: targets[index], types)
        }
      }
      if let target = targets.first, try run.write(relation: name, to: target, types) { return true }
      return run.write(literal: "null")
    }
  }
}

extension SerializationRun {
  /// - Parameter types: the types of a polymorphic relation.
  /// - Returns: false for an entity to embed that no longer exists.
  fileprivate mutating func write(
    relation name: String?, to target: EntityKey, _ types: [any Storable.Type]?
  ) throws(SerializationError) -> Bool {
    let outer = embedding
    if let outer, let name, let tree = outer.tree[name], !outer.open.contains(target) {
      guard let entity = outer.snapshot.find(target) else { return false }
      embedding = (outer.snapshot, tree, outer.open + [target])
      defer { embedding = outer }
      return try writeAny(entity)
    }
    guard let types else { return write(text: target.id) }
    return TypedID(target, among: types).write(to: &self)
  }
}

struct TypedID: Codable {
  let type: String
  let id: String

  init(_ key: EntityKey, among types: [any Storable.Type]) {
    type = types.first(for: key).map { "\($0)" } ?? ""
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

  func write(to run: inout SerializationRun) -> Bool {
    run.out += [UInt8(ascii: "{")] + SerializationRun.memberName("type")
    run.write(text: type)
    run.out += [UInt8(ascii: ",")] + SerializationRun.memberName("id")
    run.write(text: id)
    run.out.append(UInt8(ascii: "}"))
    return true
  }
}

extension [any Storable.Type] {
  var listed: String { map { "\($0)" }.joined(separator: " or ") }

  func first(for key: EntityKey) -> Element? { first { ObjectIdentifier($0) == key.type } }

  init<each Target: Storable>(_ types: repeat (each Target).Type) {
    self = []
    repeat append(each types)
  }
}
