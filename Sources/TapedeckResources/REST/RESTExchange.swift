internal import TapedeckHTTP
internal import TapedeckMocking

/// One request for resources in REST: reads bodies and queries, and writes views through a serializer.
struct RESTExchange {
  let core: ResourceExchange
  /// The serializer of all types that have none of their own.
  let standard: any ResourceSerializer

  private var serializer: any ResourceSerializer { core.served.serializer ?? standard }
  private var style: RESTStyle { core.served.style }
  private var request: Request { core.request }
  private var type: any ResourceType { core.type }
  private var store: Store { core.service.store }

  // MARK: Actions

  func index() throws -> Response {
    let all = try type.findAll(in: core.view)
    let selection = ResourceSelection(types: [type], view: core.view)
    let fields = (request.query("sort") ?? "").split(separator: ",").map { text in
      let name = property(String(text.hasPrefix("-") ? text.dropFirst() : text))
      return ResourceSelection.Sort(path: [name], isDescending: text.hasPrefix("-"), text: String(text))
    }
    let chosen = try selection.sorted(try selection.filtered(all, filters(all)), fields)
    let page = try page(of: chosen)
    let list = ResourceListView(
      type: type.entityName,
      name: core.served.path.split(separator: "/").last.map(String.init) ?? type.name,
      resources: try page.items.map { try view($0) }, total: chosen.count, page: page.number,
      pages: page.pageCount, size: page.size, links: links(page),
      next: page.hasNext ? address(ofPage: page.number + 1) : nil,
      previous: page.hasPrevious ? address(ofPage: min(page.number - 1, max(1, page.pageCount))) : nil)
    var response = response(200, serializer.document(of: list))
    response.headers["X-Total-Count"] = String(chosen.count)
    return response
  }

  func show() throws -> Response { response(200, serializer.document(of: try view(try core.resource()))) }

  func create() throws -> Response {
    let body = try body()
    let created = try core.create { store in
      var change = try change(body, store)
      change.id = try type.id(from: body[serializer.key(for: type.idMember)])
      return change
    }
    let view = try view(created)
    var response = response(style.created, view)
    response.headers["Location"] = view.url
    return response
  }

  func update() throws -> Response {
    let id = try core.resource().id
    let body = try body()
    let updated = try core.update(id) { store in
      var change = try change(body, store)
      change.replaces = request.method == .put && !style.putMerges
      return change
    }
    return response(style.updated, try view(updated))
  }

  func delete() throws -> Response {
    let resource = try core.resource()
    try core.delete(resource.id)
    return style.deleted.body == nil
      ? Response(statusCode: style.deleted.status) : response(style.deleted, try view(resource))
  }

  /// The response to a change.
  private func response(_ style: RESTStyle.Response, _ view: ResourceView) -> Response {
    if style.status == 204 { return Response(statusCode: 204) }
    let item = serializer.document(of: view)
    guard let body = style.body else { return response(style.status, item) }
    let id = view.members.first { $0.name.isEqual(to: type.idMember.utf8) }?.value
    return response(
      style.status,
      Envelope.filled(body) { name in
        switch name {
        case "item": item
        case "id": id
        case "parent": type.parent(in: store)
        default: JSONValue?.none
        }
      })
  }

  private func response(_ status: Int, _ document: JSONValue) -> Response {
    var response = Response(statusCode: status, json: document)
    response.headers["Content-Type"] = serializer.contentType
    return response
  }

  // MARK: Bodies

  private func body() throws(ResourceProblem) -> JSONValue {
    if request.http.body.isEmpty, style.acceptsEmptyBody { return .object([]) }
    let json: JSONValue
    do throws(JSONError) { json = try request.json() } catch {
      throw ResourceProblem(400, "the body is not JSON: \(error)")
    }
    guard let entity = serializer.entity(in: json, of: type.entityName) else {
      throw ResourceProblem(400, "the body has no \(type.entityName)")
    }
    return entity
  }

  /// What a body wants changed. Ids of relationships must be those of entities.
  private func change(_ body: JSONValue, _ store: Store) throws(ResourceProblem) -> ResourceChange {
    var change = ResourceChange()
    for member in body.members ?? [] {
      let name = property(member.name.text)
      if let relationship = type.relationships.first(where: { $0.property == name }) {
        let targets = try targets(member.value, relationship, member.name.text, store)
        change.relationships.append((relationship.name, targets))
      } else {
        change.attributes.append(JSONMember(JSONString(name), member.value))
      }
    }
    return change
  }

  private func targets(
    _ value: JSONValue, _ relationship: any ResourceRelationship, _ key: String, _ store: Store
  ) throws(ResourceProblem) -> [ResourceIdentifier] {
    let values = relationship.isToMany ? value.array : value.isNull ? [] : [value]
    let targets = values?.map { target($0, relationship) }
    let mayBeEmpty = relationship.isOptional || relationship.isToMany
    guard let targets, relationship.isWritable, mayBeEmpty || !targets.isEmpty else {
      throw ResourceProblem(422, "\(key) cannot be \(value)", pointer: "/\(key)")
    }
    return try zip(values ?? [], targets).map { value, target throws(ResourceProblem) in
      guard let target else { throw ResourceProblem(422, "\(key) cannot be \(value)", pointer: "/\(key)") }
      guard relationship.has(target, in: store) else {
        throw ResourceProblem(
          422, "there is no \(target.type) with the id \(target.id.debugDescription)", pointer: "/\(key)")
      }
      return target
    }
  }

  /// An id, or the whole entity as it was read; for a polymorphic relationship its type and id.
  private func target(_ value: JSONValue, _ relationship: any ResourceRelationship) -> ResourceIdentifier? {
    let types = relationship.targets
    guard types.count > 1 else {
      guard let id = value.text ?? value[serializer.key(for: "id")]?.text, let type = types.first else {
        return nil
      }
      return ResourceIdentifier(type: type.name, id: id)
    }
    guard let name = value["type"]?.text, let id = value["id"]?.text,
      let type = types.first(where: { [$0.typeName, $0.entityName, $0.name].contains(name) })
    else { return nil }
    return ResourceIdentifier(type: type.name, id: id)
  }

  /// The property with this spelling.
  private func property(_ key: String) -> String {
    for relationship in type.relationships {
      guard let property = relationship.property else { continue }
      if serializer.key(forIDs: property, isToMany: relationship.isToMany) == key { return property }
    }
    let embedded = type.relationships.first { serializer.included.contains($0.name) && $0.name == key }
    return embedded?.property
      ?? (Array(type.attributeNames) + [type.idMember]).sorted().first { serializer.key(for: $0) == key }
      ?? key
  }

  // MARK: Queries

  /// Query items that name a property. `ids[]` is for clients that ask for many at once.
  private func filters(_ all: [StoredResource]) -> [(name: String, value: String)] {
    let paging = ["sort", style.paging.number, style.paging.size, style.paging.offset]
    let items = request.queryParameters.filter { !paging.contains($0.name) }
    let ids = items.filter { $0.name == "ids[]" || $0.name == "filter[id]" }.compactMap(\.value)
    let named = items.compactMap { item -> (String, String)? in
      let name = property(item.name)
      if let relationship = type.relationships.first(where: { $0.property == name }) {
        return (relationship.name, item.value ?? "")
      }
      if name == type.idMember { return ("id", item.value ?? "") }
      let isKnown = type.attributeNames.contains(name) || all.contains { $0.attribute(name) != nil }
      return isKnown ? (name, item.value ?? "") : nil
    }
    return (ids.isEmpty ? [] : [("id", ids.joined(separator: ","))]) + named
  }

  private func page(of all: [StoredResource]) throws(ResourceProblem) -> Page<StoredResource> {
    let paging = style.paging
    let number = try count(paging.number)
    let offset = try paging.offset.flatMap { name throws(ResourceProblem) in try count(name, from: 0) }
    let isPaged = number != nil || offset != nil || paging.isAlways
    let size = try count(paging.size) ?? (isPaged ? paging.standardSize : max(1, all.count))
    guard let offset else { return Page(of: all, number: number ?? 1, size: size) }
    return Page(of: all, from: offset, size: size)
  }

  private func count(_ name: String, from least: Int = 1) throws(ResourceProblem) -> Int? {
    guard let text = request.query(name) else { return nil }
    guard let number = Int(text), number >= least else {
      throw ResourceProblem(
        400, "\(name) must be a whole number of at least \(least), not \(text.debugDescription)",
        parameter: name)
    }
    return number
  }

  private func links(_ page: Page<StoredResource>) -> [(name: String, url: String)] {
    let own = ("self", String(decoding: request.http.target, as: UTF8.self))
    guard page.pageCount > 1 || page.number > 1 else { return [own] }
    let paging = style.paging
    func link(_ name: String, _ number: Int) -> (String, String) {
      let items = ["\(paging.number)=\(number)", "\(paging.size)=\(page.size)"]
      return (name, request.path(dropping: { [paging.number, paging.size].contains($0) }, adding: items))
    }
    let last = max(1, page.pageCount)
    return [own, link("first", 1)]
      + (page.hasPrevious ? [link("prev", min(page.number - 1, last))] : [])
      + (page.hasNext ? [link("next", page.number + 1)] : []) + [link("last", last)]
  }

  /// The whole URL of another page of the requested list.
  private func address(ofPage number: Int) -> String {
    let name = style.paging.number
    let path = request.path(dropping: { $0 == name }, adding: ["\(name)=\(number)"])
    let authority = request.http.authority
    return authority.isEmpty ? path : "http://\(String(decoding: authority, as: UTF8.self))\(path)"
  }

  // MARK: Views

  private func view(_ resource: StoredResource) throws -> ResourceView {
    try view(resource, RelationTree(serializer.included))
  }

  /// - Parameter tree: the relationships to follow from here.
  private func view(_ resource: StoredResource, _ tree: RelationTree) throws -> ResourceView {
    let type = resource.type
    for (name, _) in tree.branches where type.relationship(name) == nil {
      throw ResourceProblem(500, "\(type.typeName) has no relationship \(name), which is to be included")
    }
    let related = try type.relationships.map { relationship in
      let targets = resource.related[relationship.name] ?? []
      let inner = tree[relationship.name]
      let found = inner == nil ? [] : try targets.compactMap { try relationship.find($0, in: core.view) }
      return ResourceView.Related(
        name: relationship.name, property: relationship.property, isToMany: relationship.isToMany,
        ids: targets.map(\.id), urls: targets.compactMap { core.url(of: $0) }, isIncluded: inner != nil,
        resources: try found.map { try view($0, inner ?? RelationTree([])) })
    }
    let served = core.service.resource(named: type.name)
    return ResourceView(
      type: type.entityName, collection: store.inflector.plural(type.entityName), id: resource.id,
      members: resource.members, relationships: related, url: url(of: resource),
      serializer: served?.serializer ?? type.ownSerializer ?? standard)
  }

  private func url(of resource: StoredResource) -> String {
    guard resource.type.name == type.name else { return core.url(of: resource.identifier) ?? "" }
    return "\(core.url(of: core.served))/\(URLEncoding.encoded(resource.id))"
  }
}
