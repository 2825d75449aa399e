/// An entity that a store can keep and make.
public protocol Storable: Sendable {
  /// Never changes.
  var id: String { get }

  /// Makes an entity with this id; the store may be asked for others, and to make others, meanwhile.
  init(id: String, store: Store)
}
