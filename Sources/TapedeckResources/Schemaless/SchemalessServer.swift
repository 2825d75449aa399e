internal import TapedeckHTTP
package import TapedeckMocking

/// Declared resources as routes of a router.
package struct SchemalessServer: Sendable {
  package let router = Router()
  /// The ids of the resources, by the descriptions of their routes.
  private var owners: [String: String] = [:]

  package init(_ catalog: ResourceCatalog, over store: Store) {
    let service = ResourceService(store, rootDepth: 0)
    for declaration in catalog.declarations {
      let served = declaration.served(
        SchemalessResource(declaration: declaration, catalog: catalog))
      if declaration.representation == .jsonAPI {
        JSONAPIResources(group: router.group, service: service).add(served)
      } else {
        RESTResources(group: router.group, service: service, serializer: RESTSerializer()).add(served)
      }
      for route in router.routes where owners[route] == nil { owners[route] = declaration.id }
    }
  }

  /// The id of the resource that a route belongs to.
  package func resource(of match: RouteMatch) -> String? { owners[match.routeDescription] }
}

extension ResourceDeclaration {
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
