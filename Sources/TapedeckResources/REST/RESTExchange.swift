internal import TapedeckHTTP
internal import TapedeckMocking

/// One request for resources in REST. Reads bodies and queries, and responds through a serializer.
struct RESTExchange {
  let core: ResourceExchange
  /// The serializer of all types that have none of their own.
  let standard: any ResourceSerializer

  private var serializer: any ResourceSerializer { core.served.serializer ?? standard }
  private var style: RESTStyle { core.served.style }
  private var request: Request { core.request }
  private var type: any ResourceType { core.type }

  func index() throws -> Response {
    let all = try type.findAll(in: core.view)
    let selection = ResourceSelection(types: [type], view: core.view)
    let fields = ResourceSelection.fields(request.query("sort") ?? "") { [property($0)] }
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
    var values = ["item": item]
    values["id"] = view.members.first { $0.name.isEqual(to: type.idMember.utf8) }?.value
    values["parent"] = type.parent(in: core.service.store)
    return response(style.status, style.body?.filled(values) ?? item)
  }

  private func response(_ status: Int, _ document: JSONValue) -> Response {
    var response = Response(statusCode: status, json: document)
    response.headers["Content-Type"] = serializer.contentType
    return response
  }

  // MARK: Bodies

  private func body() throws(ResourceProblem) -> JSONValue {
    if request.http.body.isEmpty, style.acceptsEmptyBody { return .object([]) }
    if let entity = serializer.entity(in: try core.json(), of: type.entityName) { return entity }
    throw ResourceProblem(400, "the body has no \(type.entityName)")
  }

  /// Reads the change that a body asks for. The targets of relationships must exist.
  private func change(_ body: JSONValue, _ store: Store) throws(ResourceProblem) -> ResourceChange {
    var change = ResourceChange()
    for member in body.members ?? [] {
      let name = property(member.name.text)
      if let relationship = type.relationship(property: name) {
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
    func refused(_ value: JSONValue) -> ResourceProblem {
      ResourceProblem(422, "\(key) cannot be \(value)", pointer: "/\(key)")
    }
    let values = relationship.isToMany ? value.array : value.isNull ? [] : [value]
    let mayBeEmpty = relationship.isOptional || relationship.isToMany
    guard let values, relationship.isWritable, mayBeEmpty || !values.isEmpty else { throw refused(value) }
    return try values.map { value throws(ResourceProblem) in
      guard let target = target(value, relationship) else { throw refused(value) }
      guard relationship.has(target, in: store) else {
        throw .missing(target.type, target.id, status: 422, pointer: "/\(key)")
      }
      return target
    }
  }

  /// Reads an id, or a whole entity; for a polymorphic relationship its type and id.
  private func target(_ value: JSONValue, _ relationship: any ResourceRelationship) -> ResourceIdentifier? {
    let types = relationship.targets
    guard types.count > 1 else {
      guard let id = value.text ?? value[serializer.key(for: "id")]?.text else { return nil }
      return types.first.map { ResourceIdentifier(type: $0.name, id: id) }
    }
    guard let name = value["type"]?.text, let id = value["id"]?.text,
      let type = types.first(where: { [$0.typeName, $0.entityName, $0.name].contains(name) })
    else { return nil }
    return ResourceIdentifier(type: type.name, id: id)
  }

  /// The name of the property that is spelled so.
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

  /// Query items that name a property. `ids[]` requests several resources at once.
  private func filters(_ all: [StoredResource]) -> [(name: String, value: String)] {
    let others = ["sort", style.pageNumber, style.pageSize, style.pageOffset]
    let items = request.queryParameters.filter { !others.contains($0.name) }
    let ids = items.filter { $0.name == "ids[]" || $0.name == "filter[id]" }.compactMap(\.value)
    let named = items.compactMap { item -> (String, String)? in
      let (name, value) = (property(item.name), item.value ?? "")
      if let relationship = type.relationship(property: name) {
        return (relationship.name, value)
      }
      if name == type.idMember { return ("id", value) }
      let isKnown = type.attributeNames.contains(name) || all.contains { $0.attribute(name) != nil }
      return isKnown ? (name, value) : nil
    }
    return (ids.isEmpty ? [] : [("id", ids.joined(separator: ","))]) + named
  }

  private func page(of all: [StoredResource]) throws(ResourceProblem) -> Page<StoredResource> {
    let number = try count(style.pageNumber)
    let offset = try style.pageOffset.flatMap { name throws(ResourceProblem) in try count(name, from: 0) }
    let isPaged = number != nil || offset != nil || style.isAlwaysPaged
    let size = try count(style.pageSize) ?? (isPaged ? style.standardPageSize : max(1, all.count))
    guard let offset else { return Page(of: all, number: number ?? 1, size: size) }
    return Page(of: all, from: offset, size: size)
  }

  private func count(_ name: String, from least: Int = 1) throws(ResourceProblem) -> Int? {
    try ResourceProblem.number(request.query(name), from: least, of: name)
  }

  private func links(_ page: Page<StoredResource>) -> [(name: String, url: String)] {
    let own = ("self", String(decoding: request.http.target, as: UTF8.self))
    guard page.pageCount > 1 || page.number > 1 else { return [own] }
    let last = max(1, page.pageCount)
    let places = [
      ("first", 1), ("prev", page.hasPrevious ? min(page.number - 1, last) : nil),
      ("next", page.hasNext ? page.number + 1 : nil), ("last", last),
    ]
    return [own]
      + places.compactMap { name, number in
        number.map { (name, url(ofPage: $0, [(style.pageSize, String(page.size))])) }
      }
  }

  /// The request's path with another page, and other query items replaced.
  private func url(ofPage number: Int, _ others: [(name: String, value: String)] = []) -> String {
    let items = [(style.pageNumber, String(number))] + others
    return request.path(
      dropping: { name in items.contains { $0.0 == name } }, adding: items.map { "\($0)=\($1)" })
  }

  /// The whole URL of another page of the requested list.
  private func address(ofPage number: Int) -> String {
    let (path, authority) = (url(ofPage: number), request.http.authority)
    return authority.isEmpty ? path : "http://\(String(decoding: authority, as: UTF8.self))\(path)"
  }

  // MARK: Views

  /// - Parameter tree: the relationships to follow; by default those that the serializer includes.
  private func view(_ resource: StoredResource, _ tree: RelationTree? = nil) throws -> ResourceView {
    let (type, tree) = (resource.type, tree ?? RelationTree(serializer.included))
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
      type: type.entityName, collection: core.view.inflector.plural(type.entityName), id: resource.id,
      members: resource.members, relationships: related, url: url(of: resource),
      serializer: served?.serializer ?? type.ownSerializer ?? standard)
  }

  private func url(of resource: StoredResource) -> String {
    guard resource.type.name == type.name else { return core.url(of: resource.identifier) ?? "" }
    return "\(core.url(of: core.served))/\(URLEncoding.encoded(resource.id))"
  }
}
