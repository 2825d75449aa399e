internal import Synchronization
internal import TapedeckMocking
internal import TapedeckResources

/// Tells whether a request is for a resource, before a session has a store to serve it from.
final class ResourceRoutes: Sendable {
  private let catalog: ResourceCatalog
  /// Serves nothing: its store is empty.
  private let made = Mutex<SchemalessServer?>(nil)

  init(_ catalog: ResourceCatalog) { self.catalog = catalog }

  func serve(_ request: Request) -> Bool {
    let server = made.withLock { made in
      if let made { return made }
      let server = SchemalessServer(catalog, over: Store())
      made = server
      return server
    }
    return server.router.match(request, at: .server) != nil
  }
}
