internal import TapedeckHTTP
package import TapedeckMocking

/// Declared resources as routes of a router.
///
/// All is answered by what serves Swift types as well: `RESTExchange` and JSON:API. What is new here is only where the
/// objects are, and what a request's path says about them.
package struct DocumentServer: Sendable {
  private let catalog: DocumentCatalog
  private let registry: JSONAPIRegistry
  package let router = Router()
  /// The ids of the resources that routes are of, by these.
  private var owners: [String: String] = [:]

  /// - Parameter store: that the resources have been filled into.
  package init(_ catalog: DocumentCatalog, over store: Store) {
    self.catalog = catalog
    registry = JSONAPIRegistry(store: store, rootDepth: 0)
    for declaration in catalog.declarations {
      add(declaration)
      for route in router.routes where owners[route] == nil { owners[route] = declaration.id }
    }
  }

  /// The id of the resource that a route is of.
  package func resource(of match: RouteMatch) -> String? { owners[match.routeDescription] }

  private func add(_ declaration: DocumentDeclaration) {
    let resource = DocumentResource(declaration, catalog)
    let path = declaration.path
    let served = ServedResource(type: resource, path: path, options: options(declaration))
    if declaration.look == .jsonAPI {
      return JSONAPIResources(group: router.group, registry: registry).add(served)
    }
    registry.add(served)
    let one = "\(path)/{id}"
    let actions = declaration.actions
    if actions.contains(.index) { add([.get, .head], path, resource) { try $0.index() } }
    if actions.contains(.create) { add([.post], path, resource) { try $0.create() } }
    if actions.contains(.show) { add([.get, .head], one, resource) { try $0.show() } }
    if actions.contains(.update) { add([.put, .patch], one, resource) { try $0.update() } }
    if actions.contains(.delete) { add([.delete], one, resource) { try $0.delete() } }
    for list in declaration.lists { add([.get, .head], list, resource) { try $0.index() } }
  }

  private func options(_ declaration: DocumentDeclaration) -> ServedOptions {
    var changes: JSONAPIChanges = .all
    if !declaration.actions.contains(.create) { changes.remove(.create) }
    if !declaration.actions.contains(.update) { changes.remove(.update) }
    if !declaration.actions.contains(.delete) { changes.remove(.delete) }
    return ServedOptions(changes: changes, allowsClientIDs: true)
  }

  private func add(
    _ methods: [HTTPMethod], _ path: String, _ resource: DocumentResource,
    _ answer: @escaping @Sendable (RESTExchange) throws -> Response
  ) {
    let registry = registry
    let passes = resource.declaration.passes
    for method in methods {
      let route = try? router.register(method, path) { request -> (any Serializable)? in
        Self.answer(request, path, resource, registry, answer)
      }
      guard !passes.isEmpty else { continue }
      route?.when { request in !request.queryParameters.contains { passes.contains($0.name) } }
    }
  }

  private static func answer(
    _ request: Request, _ path: String, _ resource: DocumentResource, _ registry: JSONAPIRegistry,
    _ answer: (RESTExchange) throws -> Response
  ) -> Response {
    let style = resource.declaration.style
    do {
      let served = try bound(resource, at: path, to: request, registry.store)
      let exchange = JSONAPIExchange(request, registry, served)
      return try answer(
        RESTExchange(exchange: exchange, standard: serializer(resource.declaration), style: style))
    } catch {
      let problem = ResourceProblem(error)
      guard problem.status == 404, let missing = style.missing, let body = missing.body else {
        return Response(problem)
      }
      let id = request.components["id"].map { resource.declaration.ids.json($0) }
      return Response(
        statusCode: missing.status, json: DocumentTemplate.filled(body) { $0 == "id" ? id : JSONValue?.none })
    }
  }

  private static func serializer(_ declaration: DocumentDeclaration) -> any ResourceSerializer {
    let look: any ResourceSerializer =
      switch declaration.look {
      case .rest, .jsonAPI: RESTSerializer()
      case .snakeCase: RESTSerializer(style: .snake, hasRoot: true)
      case .hal: HALSerializer()
      }
    guard declaration.itemEnvelope != nil || declaration.listEnvelope != nil else { return look }
    return EnvelopeSerializer(inner: look, item: declaration.itemEnvelope, list: declaration.listEnvelope)
  }

  /// The resource as the request's path narrows it down.
  private static func bound(
    _ resource: DocumentResource, at path: String, to request: Request, _ store: Store
  ) throws(ResourceProblem) -> ServedResource {
    var resource = resource
    var filled = resource.declaration.path
    for name in DocumentDeclaration.holes(of: filled) {
      filled = filled.replacingHole(name, with: request.rawComponents[name] ?? "")
    }
    let holes = DocumentDeclaration.holes(of: path).filter { $0 != "id" && !$0.hasPrefix("_") }
    if let parent = resource.parent {
      guard let id = holes.last.flatMap({ request.components[$0] }), parent.has(id, in: store) else {
        throw .missing(parent.name, holes.last.flatMap { request.components[$0] } ?? "")
      }
      resource.parentID = id
    } else {
      resource.scope = holes.map { name in
        JSONMember(JSONString(name), resource.scopeValue(name, request.components[name] ?? ""))
      }
    }
    return ServedResource(type: resource, path: filled, options: ServedOptions())
  }
}

extension DocumentResource {
  /// A part of a path as the member that it stands for: a number where the others are.
  fileprivate func scopeValue(_ name: String, _ text: String) -> JSONValue {
    let known = declaration.seeds.prefix(20).compactMap { $0[name] }
    return DocumentIDKind(of: known).json(text)
  }
}

extension String {
  /// A path with something in the place of `{name}` or `:name`.
  fileprivate func replacingHole(_ name: String, with text: String) -> String {
    split(separator: "/", omittingEmptySubsequences: false).map { step in
      step == "{\(name)}" || step == ":\(name)" ? text : String(step)
    }.joined(separator: "/")
  }
}
