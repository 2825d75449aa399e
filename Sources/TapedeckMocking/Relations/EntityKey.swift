/// Which entity of a store: type and id.
package struct EntityKey: Hashable, Sendable {
  package let type: ObjectIdentifier
  package let id: String

  package init(_ type: ObjectIdentifier, _ id: String) {
    self.type = type
    self.id = id
  }

  init<T: Storable>(_ type: T.Type, _ id: String) { self.init(ObjectIdentifier(type), id) }
}
