internal import TapedeckHTTP
internal import TapedeckMocking

/// One request for resources in JSON:API, and the documents of its response.
struct JSONAPIExchange {
  let core: ResourceExchange

  var request: Request { core.request }
  var type: any ResourceType { core.type }

  /// The request's own URL.
  var selfLink: (name: String, link: JSONAPILink) {
    ("self", .simple(value: Self.bracketed(request.http.targetText)))
  }

  /// A URL with encoded brackets, as RFC 3986 wants them outside of addresses; to JSON:API both are the same.
  static func bracketed(_ url: String) -> String {
    url.reduce(into: "") { $0 += $1 == "[" ? "%5B" : $1 == "]" ? "%5D" : String($1) }
  }

  // MARK: Resources as nodes

  func node(_ resource: StoredResource, meta: JSONValue? = nil) -> ResourceNode {
    var identifier = resource.identifier
    identifier.meta = meta
    return ResourceNode(identifier) { () throws(SerializationError) in try content(of: resource) }
  }

  private func content(of resource: StoredResource) throws(SerializationError) -> ResourceContent {
    for name in resource.attributes.map(\.name.text) where !MemberName.isField(name) {
      throw SerializationError(.illegalMemberName(name), path: [".\(name)"])
    }
    let url = core.url(of: resource.identifier)
    var relationships = resource.type.relationships.map { content(of: $0, in: resource, url) }
    let embedded = resource.type.embeddedNames
    if !embedded.isEmpty, let entity = resource.entity as? any JSONAPIEntity {
      relationships += try entity.relationshipContents().filter { embedded.contains($0.name) }
    }
    var links = (resource.entity as? any JSONAPILinkedEntity)?.links ?? [:]
    if let url { links["self"] = .simple(value: url) }
    return ResourceContent(resource.attributes, relationships, links.isEmpty ? nil : LinkTable(links))
  }

  private func content(
    of relationship: any ResourceRelationship, in resource: StoredResource, _ url: String?
  ) -> RelationshipContent {
    let linkage = linkage(of: relationship, in: resource)
    let nodes = linkage.identifiers.map { identifier in
      ResourceNode(identifier) { () throws(SerializationError) in
        guard let found = try relationship.find(identifier, in: core.view) else { return ResourceContent() }
        return try content(of: found)
      }
    }
    return RelationshipContent(
      name: relationship.name, linkage: linkage, related: nodes,
      links: url.map { LinkTable(ordered: links(of: relationship, $0)) })
  }

  func links(
    of relationship: any ResourceRelationship, _ url: String
  ) -> [(name: String, link: JSONAPILink)] {
    [
      ("self", .simple(value: "\(url)/relationships/\(relationship.name)")),
      ("related", .simple(value: "\(url)/\(relationship.name)")),
    ]
  }

  func linkage(of relationship: any ResourceRelationship, in resource: StoredResource) -> Linkage {
    let identifiers = resource.related[relationship.name] ?? []
    return relationship.isToMany ? .many(identifiers) : .one(identifiers.first)
  }

  // MARK: What the request names

  /// The relationship whose name is in the URL, or 404.
  func relationship() throws(ResourceProblem) -> any ResourceRelationship {
    let name = request.components["relationship"] ?? ""
    if let found = type.relationship(name) { return found }
    let known = type.relationships.map { $0.name }.joined(separator: ", ")
    throw ResourceProblem(
      404,
      "\(type.name) has no relationship \(name.debugDescription)"
        + (known.isEmpty ? "" : "; there are \(known)"))
  }

  func query(_ families: Set<JSONAPIQuery.Family>) throws(ResourceProblem) -> JSONAPIQuery {
    try JSONAPIQuery(request, allowing: families, beside: core.served.parameters)
  }

  // MARK: Responses

  func response(
    _ status: Int, _ document: JSONAPIDocument, profile: String? = nil, headers: HeaderFields = [:]
  ) throws(SerializationError) -> Response {
    var response = Response(
      statusCode: status, data: try document.jsonBytes() ?? [],
      contentType: JSONAPIMediaType.text(profile: profile),
      headers: headers)
    response.headers["Vary"] = "Accept"
    return response
  }

  /// One resource, or null, with its links.
  func response(
    _ status: Int, _ resource: StoredResource?, _ query: JSONAPIQuery, from types: [any ResourceType],
    headers: HeaderFields = [:]
  ) throws -> Response {
    var document = JSONAPIDocument(.one(resource.map { node($0) }))
    try include(query, from: types, in: &document)
    document.links = LinkTable(ordered: [selfLink])
    return try response(status, document, headers: headers)
  }

  /// Included resources and sparse fieldsets, as the query wants them.
  func include(
    _ query: JSONAPIQuery, from types: [any ResourceType], in document: inout JSONAPIDocument
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
