/// The relations that the store keeps in step, `ToOne`, `ToMany` and those that lead to several types, as relationships
/// that servers serve. Those that lead to a type that is not `Codable` are not served.
enum StoredRelations {
  static func relationships<Owner: Storable>(of type: Owner.Type) -> [Relationship<Owner>] {
    RelationPlans.plan(of: type).fields.compactMap { field in
      let types = field.targets.compactMap { $0 as? any ResourceEntity.Type }
      return types.count == field.targets.count ? relationship(field, types) : nil
    }
  }

  private static func relationship<Owner: Storable>(
    _ field: RelationPlan.Field, _ types: [any ResourceEntity.Type]
  ) -> Relationship<Owner> {
    let keys = types.map { ObjectIdentifier($0) }
    return Relationship(
      stored: field.name, types, isToMany: field.isToMany,
      read: { owner in
        withUnsafePointer(to: owner) { UnsafeRawPointer($0).targets(field) }.compactMap { key in
          keys.firstIndex(of: key.type).map { Relationship.Target(type: $0, id: key.id) }
        }
      },
      assign: { owner, targets in
        let targets = targets.map { EntityKey(keys[$0.type], $0.id) }
        withUnsafeMutablePointer(to: &owner) { UnsafeMutableRawPointer($0).say(field, targets) }
      })
  }
}
