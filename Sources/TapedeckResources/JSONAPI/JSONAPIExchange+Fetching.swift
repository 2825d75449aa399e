internal import TapedeckHTTP
internal import TapedeckMocking

/// JSON:API 1.1 §7.
extension JSONAPIExchange {
  private static let collection: Set<JSONAPIQuery.Family> = [.include, .fields, .sort, .page, .filter]

  func fetchCollection() throws -> Response {
    try collection(of: try served.type.findAll(in: view), [served.type], served.options)
  }

  func fetchResource() throws -> Response {
    let query = try query([.include, .fields])
    return try answer(200, try resource(), query)
  }

  /// What a relationship leads to: `/articles/1/author`.
  func fetchRelated() throws -> Response {
    let resource = try resource()
    let relationship = try relationship()
    let targets = relationship.targets
    let found = try (resource.related[relationship.name] ?? []).compactMap {
      try relationship.find($0, in: view)
    }
    guard relationship.isToMany else {
      let query = try query([.include, .fields])
      var document = DocumentContent(.one(found.first.map { node($0) }))
      try include(query, from: targets, in: &document)
      document.links = LinkTable(ordered: [selfLink])
      return try answer(200, document)
    }
    // Those of the first type hold for a collection of several.
    let options = targets.first.flatMap { registry.resource(named: $0.name)?.options } ?? ServedOptions()
    return try collection(of: found, targets, options)
  }

  /// The linkage: `/articles/1/relationships/author`.
  func fetchRelationship() throws -> Response {
    let resource = try resource()
    let relationship = try relationship()
    let query = try query([.include, .fields])
    // Paths begin at the resource, with this relationship (JSON:API 1.1 §7.3).
    for path in query.include ?? [] where path.prefix(while: { $0 != "." }) != relationship.name {
      throw ResourceProblem(
        400, "paths begin with \(relationship.name) here, unlike \(path.debugDescription)",
        parameter: "include")
    }
    let linkage = linkage(of: relationship, in: resource)
    var document = DocumentContent(.linkage(linkage))
    document.linked = [node(resource)]
    try include(query, from: [served.type], in: &document)
    let url = url(of: JSONAPIIdentifier(type: resource.type.name, id: resource.id)) ?? ""
    document.links = LinkTable(ordered: [selfLink] + links(of: relationship, url).dropFirst())
    return try answer(200, document)
  }

  private func collection(
    of all: [StoredResource], _ types: [any ResourceType], _ options: ServedOptions
  ) throws -> Response {
    let query = try query(Self.collection)
    let selection = ResourceSelection(types: types, options: options, view: view)
    let chosen = try selection.sorted(try selection.filtered(all, query.filter), query.sort)
    let page = try ResourcePage(of: chosen, options.pagination, query.page, request)
    var document = DocumentContent(.many(page.items.map { node($0.resource, meta: $0.meta) }))
    document.meta = page.meta
    try include(query, from: types, in: &document)
    document.links = LinkTable(ordered: [selfLink] + page.links)
    let profiles = options.pagination.profile.map { [$0] } ?? []
    return try answer(200, document, type: JSONAPIMediaType(profiles: profiles))
  }
}
