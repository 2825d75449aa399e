/// The relations that the store keeps in step, `ToOne` and `ToMany`, as relationships that servers serve. Those that
/// lead to several types, or to a type that is not `Codable`, are not served.
enum StoredRelations {
  static func relationships<Owner: Storable>(of type: Owner.Type) -> [Relationship<Owner>] {
    RelationPlans.plan(of: type).fields.compactMap { field in
      guard field.targets.count == 1, let target = field.targets[0] as? any ResourceEntity.Type else {
        return nil
      }
      return relationship(of: type, field, target)
    }
  }

  private static func relationship<Owner: Storable, Target: ResourceEntity>(
    of type: Owner.Type, _ field: RelationPlan.Field, _ target: Target.Type
  ) -> Relationship<Owner> {
    Relationship(
      field.name, target, isToMany: field.isToMany, property: field.name,
      read: { owner, _ in
        withUnsafePointer(to: owner) { UnsafeRawPointer($0).targets(field).map(\.id) }
      },
      assign: { owner, ids, _ in
        let targets = ids.map { EntityKey(target, $0) }
        withUnsafeMutablePointer(to: &owner) { UnsafeMutableRawPointer($0).say(field, targets) }
      })
  }
}
