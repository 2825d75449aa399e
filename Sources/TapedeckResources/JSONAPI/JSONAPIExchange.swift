internal import TapedeckHTTP
internal import TapedeckMocking

/// One request to a JSON:API server, and what its answer is made of. All of it is read from one state of the store.
struct JSONAPIExchange {
  let request: Request
  let registry: JSONAPIRegistry
  let served: ServedResource
  /// The store at the moment of the request.
  var view: Store
  /// What comes before the resources' paths, as the client wrote it.
  let root: String

  init(_ request: Request, _ registry: JSONAPIRegistry, _ served: ServedResource) {
    self.request = request
    self.registry = registry
    self.served = served
    view = registry.store.copy()
    let segments = request.path.split(separator: "/").prefix(registry.rootDepth)
    root = segments.map { "/\($0)" }.joined()
  }

  // MARK: Links

  func url(of served: ServedResource) -> String { root + served.path }

  /// Nil for a type that is not served.
  func url(of resource: JSONAPIIdentifier) -> String? {
    registry.resource(named: resource.type).map { "\(url(of: $0))/\(URLEncoding.encoded(resource.id))" }
  }

  /// The request's own URL.
  var selfLink: (name: String, link: JSONAPILink) {
    ("self", .simple(value: bracketed(request.http.targetText)))
  }

  // MARK: Resources as nodes

  func node(_ resource: StoredResource, meta: JSONValue? = nil) -> ResourceNode {
    let identifier = JSONAPIIdentifier(type: resource.type.name, id: resource.id, meta: meta)
    return ResourceNode(identifier) { () throws(SerializationError) in try read(resource) }
  }

  private func read(_ resource: StoredResource) throws(SerializationError) -> ResourceContent {
    for name in resource.attributes.map(\.name.text) where !MemberName.isField(name) {
      throw SerializationError(.illegalMemberName(name), path: [".\(name)"])
    }
    let url = url(of: JSONAPIIdentifier(type: resource.type.name, id: resource.id))
    let relationships = resource.type.relationships.map { read($0, in: resource, url) } + resource.embedded
    var links = resource.links
    if let url { links["self"] = .simple(value: url) }
    return ResourceContent(resource.attributes, relationships, links.isEmpty ? nil : LinkTable(links))
  }

  private func read(
    _ relationship: ResourceRelationship, in resource: StoredResource, _ url: String?
  ) -> RelationshipContent {
    let linkage = linkage(of: relationship, in: resource)
    let nodes = linkage.identifiers.map { identifier in
      ResourceNode(identifier) { () throws(SerializationError) in
        guard let found = try relationship.find(identifier, in: view) else { return ResourceContent() }
        return try read(found)
      }
    }
    return RelationshipContent(
      name: relationship.name, linkage: linkage, related: nodes,
      links: url.map { LinkTable(ordered: links(of: relationship, $0)) })
  }

  func links(
    of relationship: ResourceRelationship, _ url: String
  ) -> [(name: String, link: JSONAPILink)] {
    [
      ("self", .simple(value: "\(url)/relationships/\(relationship.name)")),
      ("related", .simple(value: "\(url)/\(relationship.name)")),
    ]
  }

  func linkage(of relationship: ResourceRelationship, in resource: StoredResource) -> Linkage {
    let identifiers = resource.related[relationship.name] ?? []
    return relationship.isToMany ? .many(identifiers) : .one(identifiers.first)
  }

  // MARK: What the request names

  /// The resource whose id is in the URL, or 404.
  func resource() throws -> StoredResource {
    let id = request.components["id"] ?? ""
    guard let found = try served.type.find(id, in: view) else {
      throw ResourceProblem.missing(served.type.name, id)
    }
    return found
  }

  /// The relationship whose name is in the URL, or 404.
  func relationship() throws(ResourceProblem) -> ResourceRelationship {
    let name = request.components["relationship"] ?? ""
    guard let found = served.type.relationship(name) else {
      let known = served.type.relationships.map(\.name).joined(separator: ", ")
      throw ResourceProblem(
        404,
        "\(served.type.name) has no relationship \(name.debugDescription)"
          + (known.isEmpty ? "" : "; there are \(known)"))
    }
    return found
  }

  func query(_ families: Set<JSONAPIQuery.Family>) throws(ResourceProblem) -> JSONAPIQuery {
    try JSONAPIQuery(request, allowing: families, beside: served.options.parameters)
  }

  // MARK: Answers

  func answer(
    _ status: Int, _ document: DocumentContent, type: JSONAPIMediaType = JSONAPIMediaType(),
    headers: HeaderFields = [:]
  ) throws(SerializationError) -> Response {
    var response = Response(
      statusCode: status, data: try document.bytes(), contentType: type.text, headers: headers)
    response.headers["Vary"] = "Accept"
    return response
  }

  /// One resource with its links, as it is after a change.
  func answer(
    _ status: Int, _ resource: StoredResource?, _ query: JSONAPIQuery, headers: HeaderFields = [:]
  ) throws -> Response {
    var document = DocumentContent(.one(resource.map { node($0) }))
    try include(query, from: [resource?.type ?? served.type], in: &document)
    document.links = LinkTable(ordered: [selfLink])
    return try answer(status, document, headers: headers)
  }

  /// Included resources and sparse fieldsets, as the query wants them.
  func include(
    _ query: JSONAPIQuery, from types: [any ResourceType], in document: inout DocumentContent
  ) throws(ResourceProblem) {
    document.fields = query.fields
    guard let paths = query.include else { return }
    for path in paths {
      let steps = path.split(separator: ".", omittingEmptySubsequences: false)[...]
      guard types.contains(where: { isRelationshipPath(steps, $0) }) else {
        throw ResourceProblem(
          400, "\(types.named) has no relationship path \(path.debugDescription)", parameter: "include")
      }
    }
    document.inclusion = .paths(paths)
  }

  private func isRelationshipPath(_ path: ArraySlice<Substring>, _ type: any ResourceType) -> Bool {
    guard let name = path.first.map(String.init) else { return true }
    if type.embeddedNames.contains(name) { return true }
    guard let relationship = type.relationship(name) else { return false }
    return path.count == 1
      || relationship.targets.contains { isRelationshipPath(path.dropFirst(), $0) }
  }
}

extension [any ResourceType] {
  /// Like `posts or comments`.
  var named: String { map(\.name).joined(separator: " or ") }
}

/// A URL whose brackets are coded, which RFC 3986 wants outside of addresses; to JSON:API both are the same.
func bracketed(_ url: String) -> String {
  url.split(separator: "[", omittingEmptySubsequences: false).joined(separator: "%5B")
    .split(separator: "]", omittingEmptySubsequences: false).joined(separator: "%5D")
}
