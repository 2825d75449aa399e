internal import TapedeckMocking

/// The relations that the store keeps in step, `ToOne`, `ToMany` and those that lead to several types, as relationships
/// that servers serve. Those that lead to a type that is not `Codable` are not served.
enum StoredRelations {
  static func relationships<Owner: Storable>(of type: Owner.Type) -> [Relationship<Owner>] {
    StoredRelation.all(of: type).compactMap { relation in
      let types = relation.targets.compactMap { $0 as? any ResourceEntity.Type }
      return types.count == relation.targets.count ? relationship(relation, types) : nil
    }
  }

  private static func relationship<Owner: Storable>(
    _ relation: StoredRelation, _ types: [any ResourceEntity.Type]
  ) -> Relationship<Owner> {
    let keys = types.map { ObjectIdentifier($0) }
    return Relationship(
      stored: relation.name, types, isToMany: relation.isToMany,
      read: { owner in
        relation.keys(of: owner).compactMap { key in
          keys.firstIndex(of: key.type).map { Relationship.Target(type: $0, id: key.id) }
        }
      },
      assign: { owner, targets in
        relation.set(targets.map { EntityKey(keys[$0.type], $0.id) }, in: &owner)
      })
  }
}
