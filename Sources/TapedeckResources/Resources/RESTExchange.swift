internal import TapedeckHTTP
internal import TapedeckMocking

/// One request to a REST API, and what its answer is made of.
struct RESTExchange {
  let exchange: JSONAPIExchange
  /// Of all types that have none of their own.
  let standard: any ResourceSerializer
  var style = RESTStyle()

  private var serializer: any ResourceSerializer { exchange.served.serializer ?? standard }
  private var request: Request { exchange.request }
  private var type: any ResourceType { exchange.served.type }
  private var store: Store { exchange.registry.store }

  // MARK: Actions

  func index() throws -> Response {
    let all = try type.findAll(in: exchange.view)
    let selection = ResourceSelection(types: [type], options: ServedOptions(), view: exchange.view)
    let fields = (request.query("sort") ?? "").split(separator: ",").map { text in
      let name = property(String(text.hasPrefix("-") ? text.dropFirst() : text))
      return JSONAPIQuery.Sort(path: [name], isDescending: text.hasPrefix("-"), text: String(text))
    }
    let chosen = try selection.sorted(try selection.filtered(all, filters(all)), fields)
    let page = try page(of: chosen)
    let list = ResourceListView(
      type: type.entityName,
      name: exchange.served.path.split(separator: "/").last.map(String.init) ?? type.name,
      resources: try page.items.map { try view($0) }, total: chosen.count, page: page.number,
      pages: page.pageCount, size: page.size, links: links(page),
      next: page.hasNext ? address(ofPage: page.number + 1) : nil,
      previous: page.hasPrevious ? address(ofPage: min(page.number - 1, max(1, page.pageCount))) : nil)
    var response = answer(200, serializer.document(of: list))
    response.headers["X-Total-Count"] = String(chosen.count)
    return response
  }

  func show() throws -> Response { answer(200, serializer.document(of: try view(try exchange.resource()))) }

  func create() throws -> Response {
    let body = try body()
    let created = try store.transaction { store in
      var change = try change(body, store)
      change.id = try type.id(from: body[serializer.key(for: type.idMember)])
      return try type.create(change, in: store)
    }
    let view = try view(created)
    var response = try answer(style.created, view)
    response.headers["Location"] = view.url
    return response
  }

  func update() throws -> Response {
    let id = try exchange.resource().id
    let body = try body()
    let updated = try store.transaction { store in
      var change = try change(body, store)
      change.replaces = request.method == .put && !style.putMerges
      return try type.update(id, change, in: store)
    }
    return try answer(style.updated, try view(updated))
  }

  func delete() throws -> Response {
    let resource = try exchange.resource()
    let isDone = store.transaction { store in type.delete(resource.id, in: store) }
    guard isDone else { throw ResourceProblem.missing(type.name, resource.id) }
    return style.deleted.body == nil
      ? Response(statusCode: style.deleted.status) : try answer(style.deleted, try view(resource))
  }

  /// The answer to a change.
  private func answer(_ style: RESTStyle.Answer, _ view: ResourceView) throws -> Response {
    if style.status == 204 { return Response(statusCode: 204) }
    let item = serializer.document(of: view)
    guard let body = style.body else { return answer(style.status, item) }
    let id = view.members.first { $0.name.isEqual(to: type.idMember.utf8) }?.value
    return answer(
      style.status,
      DocumentTemplate.filled(body) { place in
        switch place {
        case "item": item
        case "id": id
        case "parent": type.parent(in: store)
        default: JSONValue?.none
        }
      })
  }

  private func answer(_ status: Int, _ document: JSONValue) -> Response {
    var response = Response(statusCode: status, json: document)
    response.headers["Content-Type"] = serializer.contentType
    return response
  }

  // MARK: Requests

  private func body() throws(ResourceProblem) -> JSONValue {
    if request.http.body.isEmpty, style.acceptsEmptyBody { return .object([]) }
    let json: JSONValue
    do throws(JSONError) { json = try request.json() } catch {
      throw ResourceProblem(400, "the body is no JSON: \(error)")
    }
    guard let entity = serializer.entity(in: json, of: type.entityName) else {
      throw ResourceProblem(400, "the body holds no \(type.entityName)")
    }
    return entity
  }

  /// What a body wants changed: ids of relationships have to be those of entities.
  private func change(_ body: JSONValue, _ store: Store) throws(ResourceProblem) -> ResourceChange {
    var change = ResourceChange()
    for member in body.members ?? [] {
      let name = property(member.name.text)
      guard let relationship = type.relationships.first(where: { $0.property == name }) else {
        change.attributes.append(JSONMember(JSONString(name), member.value))
        continue
      }
      change.relationships.append(
        (relationship.name, try targets(member.value, relationship, member.name.text, store)))
    }
    return change
  }

  private func targets(
    _ value: JSONValue, _ relationship: ResourceRelationship, _ key: String, _ store: Store
  ) throws(ResourceProblem) -> [JSONAPIIdentifier] {
    let values = relationship.isToMany ? value.array : value.isNull ? [] : [value]
    guard let values, relationship.isWritable,
      relationship.isOptional || relationship.isToMany || !values.isEmpty
    else { throw ResourceProblem(422, "\(key) cannot be \(value)", pointer: "/\(key)") }
    var targets: [JSONAPIIdentifier] = []
    for value in values {
      guard let target = target(value, relationship) else {
        throw ResourceProblem(422, "\(key) cannot be \(value)", pointer: "/\(key)")
      }
      guard relationship.has(target, in: store) else {
        throw ResourceProblem(
          422, "there is no \(target.type) with the id \(target.id.debugDescription)", pointer: "/\(key)")
      }
      targets.append(target)
    }
    return targets
  }

  /// An id, or the whole entity as it was read; of a polymorphic relationship its type and id.
  private func target(_ value: JSONValue, _ relationship: ResourceRelationship) -> JSONAPIIdentifier? {
    let types = relationship.targets
    guard types.count > 1 else {
      guard let id = value.text ?? value[serializer.key(for: "id")]?.text, let type = types.first else {
        return nil
      }
      return JSONAPIIdentifier(type: type.name, id: id)
    }
    guard let name = value["type"]?.text, let id = value["id"]?.text,
      let type = types.first(where: { [$0.typeName, $0.entityName, $0.name].contains(name) })
    else { return nil }
    return JSONAPIIdentifier(type: type.name, id: id)
  }

  /// The property that is spelled so on the wire.
  private func property(_ key: String) -> String {
    for relationship in type.relationships {
      guard let property = relationship.property else { continue }
      let isIDs = serializer.key(forIDs: property, isToMany: relationship.isToMany) == key
      if isIDs { return property }
    }
    let embedded = type.relationships.first { serializer.included.contains($0.name) && $0.name == key }
    return embedded?.property
      ?? (Array(type.attributeNames) + [type.idMember]).sorted().first { serializer.key(for: $0) == key }
      ?? key
  }

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
        400, "\(name) is no whole number from \(least) on: \(text.debugDescription)", parameter: name)
    }
    return number
  }

  private func links(_ page: Page<StoredResource>) -> [(name: String, url: String)] {
    let own = ("self", String(decoding: request.http.target, as: UTF8.self))
    guard page.pageCount > 1 || page.number > 1 else { return [own] }
    func link(_ name: String, _ number: Int) -> (String, String) {
      let kept = (request.http.query.map { Array($0) } ?? []).split(separator: UInt8(ascii: "&")).filter {
        ![style.paging.number, style.paging.size].contains(QueryItem.parse($0).first?.name ?? "")
      }
      let items =
        kept.map { String(decoding: $0, as: UTF8.self) } + [
          "\(style.paging.number)=\(number)", "\(style.paging.size)=\(page.size)",
        ]
      return (name, "\(request.path)?\(items.joined(separator: "&"))")
    }
    let last = max(1, page.pageCount)
    return [own, link("first", 1)]
      + (page.hasPrevious ? [link("prev", min(page.number - 1, last))] : [])
      + (page.hasNext ? [link("next", page.number + 1)] : []) + [link("last", last)]
  }

  /// Another page of the list that was asked for, in the words of the request.
  private func address(ofPage number: Int) -> String {
    let items = (request.http.query ?? []).split(separator: UInt8(ascii: "&"))
    let kept = items.filter { QueryItem.parse($0).first?.name != style.paging.number }
      .map { String(decoding: $0, as: UTF8.self) }
    let authority = request.http.authority
    let base = authority.isEmpty ? "" : "http://\(String(decoding: authority, as: UTF8.self))"
    return "\(base)\(request.path)?\((kept + ["\(style.paging.number)=\(number)"]).joined(separator: "&"))"
  }

  // MARK: Views

  private func view(_ resource: StoredResource) throws -> ResourceView {
    try view(resource, RelationTree(serializer.included))
  }

  /// - Parameter tree: the relationships to be followed from here.
  private func view(_ resource: StoredResource, _ tree: RelationTree) throws -> ResourceView {
    let type = resource.type
    for (name, _) in tree.branches where type.relationship(name) == nil {
      throw ResourceProblem(500, "\(type.typeName) has no relationship \(name), which is to be included")
    }
    let related = try type.relationships.map { relationship in
      let targets = resource.related[relationship.name] ?? []
      let inner = tree[relationship.name]
      return ResourceView.Related(
        name: relationship.name, property: relationship.property, isToMany: relationship.isToMany,
        ids: targets.map(\.id), urls: targets.compactMap { exchange.url(of: $0) }, isIncluded: inner != nil,
        resources: try inner.map { try views(of: targets, relationship, $0) } ?? [])
    }
    let served = exchange.registry.resource(named: type.name)
    return ResourceView(
      type: type.entityName, collection: store.inflector.plural(type.entityName), id: resource.id,
      members: resource.members, relationships: related, url: url(of: resource),
      serializer: served?.serializer ?? type.ownSerializer ?? standard)
  }

  private func url(of resource: StoredResource) -> String {
    guard resource.type.name == type.name else {
      return exchange.url(of: JSONAPIIdentifier(type: resource.type.name, id: resource.id)) ?? ""
    }
    return "\(exchange.url(of: exchange.served))/\(URLEncoding.encoded(resource.id))"
  }

  private func views(
    of targets: [JSONAPIIdentifier], _ relationship: ResourceRelationship, _ tree: RelationTree
  ) throws -> [ResourceView] {
    try targets.compactMap { try relationship.find($0, in: exchange.view) }.map { try view($0, tree) }
  }
}
