/// Which entity of a store: type and id.
struct EntityKey: Hashable, Sendable {
  let type: ObjectIdentifier
  let id: String

  init(_ type: ObjectIdentifier, _ id: String) {
    self.type = type
    self.id = id
  }

  init<T: Storable>(_ type: T.Type, _ id: String) { self.init(ObjectIdentifier(type), id) }
}
