internal import TapedeckHTTP

/// One request to a REST API, and what its answer is made of.
struct RESTExchange {
  let exchange: JSONAPIExchange
  let serializer: any ResourceSerializer
  var style = RESTStyle()

  private var request: Request { exchange.request }
  private var type: any ResourceType { exchange.served.type }
  private var store: Store { exchange.registry.store }

  // MARK: Actions

  func index() throws -> Response {
    let all = try type.findAll(in: exchange.view)
    let selection = ResourceSelection(type: type, options: ServedOptions(), view: exchange.view)
    let fields = (request.query("sort") ?? "").split(separator: ",").map { text in
      let name = property(String(text.hasPrefix("-") ? text.dropFirst() : text))
      return JSONAPIQuery.Sort(path: [name], isDescending: text.hasPrefix("-"), text: String(text))
    }
    let chosen = try selection.sorted(try selection.filtered(all, filters(all)), fields)
    let page = try page(of: chosen)
    let list = ResourceListView(
      type: type.entityName,
      name: exchange.served.path.split(separator: "/").last.map(String.init) ?? type.name,
      resources: page.items.map { view($0) }, total: chosen.count, page: page.number, pages: page.pageCount,
      size: page.size, links: links(page))
    var response = answer(200, serializer.document(of: list))
    response.headers["X-Total-Count"] = String(chosen.count)
    return response
  }

  func show() throws -> Response { answer(200, serializer.document(of: view(try exchange.resource()))) }

  func create() throws -> Response {
    let body = try body()
    let created = try store.transaction { store in
      var change = try change(body, store)
      change.id = try type.id(in: body)
      return try type.create(change, in: store)
    }
    let view = view(created)
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
    return try answer(style.updated, view(updated))
  }

  func delete() throws -> Response {
    let resource = try exchange.resource()
    let isDone = store.transaction { store in type.delete(resource.id, in: store) }
    guard isDone else { throw ResourceProblem.missing(type.name, resource.id) }
    return style.deleted.body == nil
      ? Response(statusCode: style.deleted.status) : try answer(style.deleted, view(resource))
  }

  /// The answer to a change.
  private func answer(_ style: RESTStyle.Answer, _ view: ResourceView) throws -> Response {
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
        default: nil
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
      change.relationships.append((relationship.name, try ids(member.value, relationship, name, store)))
    }
    return change
  }

  private func ids(
    _ value: JSONValue, _ relationship: ResourceRelationship, _ name: String, _ store: Store
  ) throws(ResourceProblem) -> [String] {
    let ids =
      relationship.isToMany ? value.array?.compactMap(\.text) : value.isNull ? [] : value.text.map { [$0] }
    guard let ids, ids.count == value.array?.count ?? ids.count, relationship.isWritable,
      relationship.isOptional || relationship.isToMany || !ids.isEmpty
    else { throw ResourceProblem(422, "\(name) cannot be \(value)", pointer: "/\(name)") }
    for id in ids where !relationship.target.has(id, in: store) {
      throw ResourceProblem(
        422, "there is no \(relationship.target.name) with the id \(id.debugDescription)", pointer: "/\(name)"
      )
    }
    return ids
  }

  /// The property that is spelled so on the wire.
  private func property(_ key: String) -> String {
    let known = Array(type.attributeNames) + type.relationships.compactMap(\.property) + [type.idMember]
    return known.sorted().first { serializer.key(for: $0) == key } ?? key
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
        ![style.paging.number, style.paging.size].contains(QueryItems.parse($0).first?.name ?? "")
      }
      let items =
        kept.map { String(decoding: $0, as: UTF8.self) } + ["\(style.paging.number)=\(number)", "\(style.paging.size)=\(page.size)"]
      return (name, "\(request.path)?\(items.joined(separator: "&"))")
    }
    let last = max(1, page.pageCount)
    return [own, link("first", 1)]
      + (page.hasPrevious ? [link("prev", min(page.number - 1, last))] : [])
      + (page.hasNext ? [link("next", page.number + 1)] : []) + [link("last", last)]
  }

  // MARK: Views

  private func view(_ resource: StoredResource) -> ResourceView {
    let related = resource.type.relationships.map { relationship in
      let ids = resource.related[relationship.name] ?? []
      let urls = ids.compactMap { id in
        exchange.url(of: JSONAPIIdentifier(type: relationship.target.name, id: id))
      }
      return ResourceView.Related(
        name: relationship.name, property: relationship.property, isToMany: relationship.isToMany, ids: ids,
        urls: urls)
    }
    return ResourceView(
      type: resource.type.entityName, id: resource.id, members: resource.members, relationships: related,
      url: "\(exchange.url(of: exchange.served))/\(URLEncoding.encoded(resource.id))")
  }
}
