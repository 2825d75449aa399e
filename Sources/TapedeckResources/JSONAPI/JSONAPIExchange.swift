internal import TapedeckHTTP
internal import TapedeckMocking

/// One request for resources in JSON:API.
struct JSONAPIExchange {
  let core: ResourceExchange

  var request: Request { core.request }
  var type: any ResourceType { core.type }

  /// The request's own URL.
  var selfLink: (name: String, link: JSONAPILink) {
    ("self", .simple(value: Self.bracketed(request.http.targetText)))
  }

  /// Encodes brackets in a URL (RFC 3986 §3.2.2), which JSON:API allows.
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

  // MARK: The request

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

  func query(_ families: Set<String>) throws(ResourceProblem) -> JSONAPIQuery {
    try JSONAPIQuery(request, allowing: families, beside: core.served.parameters)
  }

  func response(
    _ status: Int, _ document: JSONAPIDocument, profile: String? = nil, headers: HeaderFields = [:]
  ) throws(SerializationError) -> Response {
    var response = Response(
      statusCode: status, data: try document.jsonBytes() ?? [],
      contentType: JSONAPIDocument.mediaType + (profile.map { "; profile=\"\($0)\"" } ?? ""),
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

  /// Applies inclusion and sparse fieldsets to a document.
  func include(
    _ query: JSONAPIQuery, from types: [any ResourceType], in document: inout JSONAPIDocument
  ) throws(ResourceProblem) {
    document.fields = query.fields
    guard let paths = query.include else { return }
    for path in paths {
      let names = path.split(separator: ".", omittingEmptySubsequences: false)[...]
      guard types.contains(where: { isRelationshipPath(names, $0) }) else {
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

// MARK: - Fetching (JSON:API 1.1 §7)

extension JSONAPIExchange {
  func fetchCollection() throws -> Response {
    try collection(of: try type.findAll(in: core.view), [type], core.served)
  }

  func fetchResource() throws -> Response {
    let query = try query(["include", "fields"])
    return try response(200, try core.resource(), query, from: [type])
  }

  /// The resources that a relationship leads to: `/articles/1/author`.
  func fetchRelated() throws -> Response {
    let resource = try core.resource()
    let relationship = try relationship()
    let targets = relationship.targets
    let found = try (resource.related[relationship.name] ?? []).compactMap {
      try relationship.find($0, in: core.view)
    }
    guard relationship.isToMany else {
      let query = try query(["include", "fields"])
      return try response(200, found.first, query, from: targets)
    }
    // A collection of several types has the options of the first.
    return try collection(
      of: found, targets, targets.first.flatMap { core.service.resource(named: $0.name) })
  }

  /// The linkage: `/articles/1/relationships/author`.
  func fetchLinkage() throws -> Response {
    let resource = try core.resource()
    let relationship = try relationship()
    let query = try query(["include", "fields"])
    // Paths begin at the resource, with this relationship (JSON:API 1.1 §7.3).
    for path in query.include ?? [] where path.prefix(while: { $0 != "." }) != relationship.name {
      throw ResourceProblem(
        400, "paths must begin with \(relationship.name) here, not \(path.debugDescription)",
        parameter: "include")
    }
    var document = JSONAPIDocument(.linkage(linkage(of: relationship, in: resource)))
    document.linked = [node(resource)]
    try include(query, from: [type], in: &document)
    let url = core.url(of: resource.identifier) ?? ""
    document.links = LinkTable(ordered: [selfLink] + links(of: relationship, url).dropFirst())
    return try response(200, document)
  }

  private func collection(
    of all: [StoredResource], _ types: [any ResourceType], _ options: ServedResource?
  ) throws -> Response {
    let query = try query(["include", "fields", "sort", "page", "filter"])
    let selection = ResourceSelection(types: types, filters: options?.filters ?? [:], view: core.view)
    let chosen = try selection.sorted(try selection.filtered(all, query.filter), query.sort)
    let pagination = options?.pagination ?? .number()
    let page = try JSONAPIPage(of: chosen, pagination, query.page, request)
    var document = JSONAPIDocument(.many(page.items.map { node($0.resource, meta: $0.meta) }))
    document.meta = page.meta
    try include(query, from: types, in: &document)
    document.links = LinkTable(ordered: [selfLink] + page.links)
    return try response(200, document, profile: pagination.profile)
  }
}
