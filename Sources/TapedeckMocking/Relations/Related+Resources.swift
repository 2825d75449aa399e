extension Related {
  /// The relations as servers of resources see them: those that lead to one type, which can be read from requests.
  public static var relationships: [Relationship<Self>] {
    RelationPlans.plan(of: Self.self).fields.compactMap { field in
      guard field.targets.count == 1, let target = field.targets[0] as? any ResourceEntity.Type else {
        return nil
      }
      return relationship(field, target)
    }
  }

  private static func relationship<Target: ResourceEntity>(
    _ field: RelationPlan.Field, _ target: Target.Type
  ) -> Relationship<Self> {
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
