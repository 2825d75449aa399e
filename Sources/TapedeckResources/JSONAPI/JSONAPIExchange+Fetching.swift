internal import TapedeckHTTP
internal import TapedeckMocking

/// JSON:API 1.1 §7.
extension JSONAPIExchange {
  func fetchCollection() throws -> Response {
    try collection(of: try type.findAll(in: core.view), [type], core.served)
  }

  func fetchResource() throws -> Response {
    let query = try query([.include, .fields])
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
      let query = try query([.include, .fields])
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
    let query = try query([.include, .fields])
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

  /// - Parameter options: nil for a type that is not served.
  private func collection(
    of all: [StoredResource], _ types: [any ResourceType], _ options: ServedResource?
  ) throws -> Response {
    let query = try query([.include, .fields, .sort, .page, .filter])
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
