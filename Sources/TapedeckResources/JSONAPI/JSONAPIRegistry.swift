internal import Synchronization
internal import TapedeckMocking

/// What a JSON:API server serves: which types at which paths, from which store.
final class JSONAPIRegistry: Sendable {
  let store: Store
  /// How many of a path's segments come before those of resources.
  let rootDepth: Int
  private let served = Mutex<[ServedResource]>([])

  init(store: Store, rootDepth: Int) {
    self.store = store
    self.rootDepth = rootDepth
  }

  func add(_ resource: ServedResource) { served.withLock { $0.append(resource) } }

  func resource(named name: String) -> ServedResource? {
    served.withLock { $0.first { $0.type.name == name } }
  }
}

/// A type that is served.
struct ServedResource: Sendable {
  let type: any ResourceType
  /// Below the root, like `/articles`.
  let path: String
  let options: ServedOptions
  /// The look that was said for this type.
  var serializer: (any ResourceSerializer)?
}
