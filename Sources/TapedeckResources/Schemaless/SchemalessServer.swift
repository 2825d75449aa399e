package import TapedeckHTTP
package import TapedeckMocking

/// Declared resources as routes of a router.
package struct SchemalessServer: Sendable {
  package let router = Router()
  /// The ids of the resources, by the numbers of their routes.
  private var owners: [Int: String] = [:]

  package init(_ catalog: ResourceCatalog, over store: Store) {
    let service = ResourceService(store, rootDepth: 0)
    // Of routes for one path the later one is tried first: one for some hosts before one for all.
    let declarations = catalog.declarations
    for declaration in declarations.filter(\.hosts.isEmpty) + declarations.filter({ !$0.hosts.isEmpty }) {
      let group = declaration.group(in: router)
      let served = declaration.served(
        SchemalessResource(declaration: declaration, catalog: catalog))
      if declaration.representation == .jsonAPI {
        JSONAPIResources(group: group, service: service).add(served)
      } else {
        RESTResources(group: group, service: service, serializer: RESTSerializer()).add(served)
      }
      for number in router.routeNumbers where owners[number] == nil { owners[number] = declaration.id }
    }
  }

  /// The id of the resource that a route belongs to.
  package func resource(of match: RouteMatch) -> String? { owners[match.routeNumber] }
}

extension ResourceDeclaration {
  /// Whether it is served at the host that a request names.
  package func isServed(at origin: HTTPOrigin?) -> Bool {
    hosts.isEmpty || origin.map { origin in hosts.contains { $0.matches(origin) } } ?? false
  }

  fileprivate func group(in router: Router) -> RouteGroup {
    hosts.isEmpty ? router.group : router.group("", when: { isServed(at: $0.http.origin) })
  }

  fileprivate func served(_ type: SchemalessResource) -> ServedResource {
    var served = ServedResource(type, at: path)
    served.actions = actions
    served.allowsClientIDs = true
    served.serializer = serializer
    served.style = style
    served.lists = lists
    served.passes = passes
    return served
  }

  private var serializer: any ResourceSerializer {
    let inner: any ResourceSerializer =
      switch representation {
      case .rest, .jsonAPI: RESTSerializer()
      case .snakeCase: RESTSerializer(style: .snake, hasRoot: true)
      case .hal: HALSerializer()
      }
    guard itemEnvelope != nil || listEnvelope != nil else { return inner }
    return EnvelopeSerializer(inner: inner, item: itemEnvelope, list: listEnvelope)
  }
}
