/// A relation of a stored type that the store keeps in step, for those that serve entities.
package struct StoredRelation: Sendable {
  let field: RelationPlan.Field

  package var name: String { field.name }
  package var isToMany: Bool { field.isToMany }
  package var targets: [any Storable.Type] { field.targets }

  package static func all<T: Storable>(of type: T.Type) -> [StoredRelation] {
    RelationPlan.of(type).fields.map { StoredRelation(field: $0) }
  }

  /// The entities that an entity of the type leads to.
  package func keys<T: Storable>(of entity: T) -> [EntityKey] {
    withUnsafePointer(to: entity) { UnsafeRawPointer($0).relation(field).targets }
  }

  package func set<T: Storable>(_ keys: [EntityKey], in entity: inout T) {
    withUnsafeMutablePointer(to: &entity) {
      UnsafeMutableRawPointer($0).changeRelation(field) { $0.assign(keys) }
    }
  }
}
