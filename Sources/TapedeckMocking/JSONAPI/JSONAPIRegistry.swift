internal import Synchronization

/// What a JSON:API server serves: which types at which paths, from which store.
final class JSONAPIRegistry: Sendable {
  let store: Store
  /// How many of a path's segments come before those of resources.
  let rootDepth: Int
  let jobs = JSONAPIJobs()
  private let served = Mutex<[ServedResource]>([])

  init(store: Store, rootDepth: Int) {
    self.store = store
    self.rootDepth = rootDepth
  }

  func add(_ resource: ServedResource) { served.withLock { $0.append(resource) } }

  func resource(named name: String) -> ServedResource? {
    served.withLock { $0.first { $0.type.name == name } }
  }

  func resource(at path: String) -> ServedResource? { served.withLock { $0.first { $0.path == path } } }

  /// The resource whose path begins this one, which lies below the root, and what follows.
  func resource(above path: [String]) -> (resource: ServedResource, rest: [String])? {
    for count in stride(from: path.count, through: 1, by: -1) {
      if let found = resource(at: "/" + path.prefix(count).joined(separator: "/")) {
        return (found, Array(path.dropFirst(count)))
      }
    }
    return nil
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
