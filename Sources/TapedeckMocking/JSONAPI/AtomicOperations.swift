internal import TapedeckHTTP

/// The atomic operations extension (https://jsonapi.org/ext/atomic).
struct AtomicOperations {
  let request: Request
  let registry: JSONAPIRegistry

  /// What an operation is about.
  private struct Target {
    var served: ServedResource
    var id: String?
    var relationship: String?
  }

  func answer() throws -> Response {
    try JSONAPIMediaType.checkContentType(of: request, ext: [JSONAPIMediaType.atomic])
    _ = try JSONAPIQuery(request, allowing: [], beside: [])
    let operations = try operations()
    let results = try registry.store.transaction { store in
      var local: ResourceDocument.LocalIDs = [:]
      return try operations.enumerated().map { index, operation in
        do { return try run(operation, store, &local) } catch {
          throw ResourceProblem(error).inside("/atomic:operations/\(index)")
        }
      }
    }
    return try answer(results)
  }

  private func operations() throws(ResourceProblem) -> [JSONValue] {
    let document: JSONValue
    do throws(JSONError) { document = try JSONValue(parsing: request.http.body) } catch {
      throw ResourceProblem(400, "the body is no JSON: \(error)", pointer: "")
    }
    guard let operations = document["atomic:operations"]?.array, !operations.isEmpty else {
      throw ResourceProblem(400, "atomic:operations is an array of operations", pointer: "")
    }
    return operations
  }

  private func answer(_ results: [JSONAPIIdentifier?]) throws -> Response {
    guard results.contains(where: { $0 != nil }) else {
      return Response(statusCode: 204, headers: ["Vary": "Accept"])
    }
    var run = SerializationRun()
    run.write(literal: "{\"atomic:results\":[")
    for (index, result) in results.enumerated() {
      try run.element(index) { run throws(SerializationError) in try write(result, &run) }
    }
    run.write(literal: "]}")
    let type = JSONAPIMediaType(ext: [JSONAPIMediaType.atomic])
    return Response(data: run.out, contentType: type.text, headers: ["Vary": "Accept"])
  }

  private func write(
    _ result: JSONAPIIdentifier?, _ run: inout SerializationRun
  ) throws(SerializationError) -> Bool {
    guard let result, let served = registry.resource(named: result.type) else {
      run.write(literal: "{}")
      return true
    }
    let exchange = exchange(served)
    // What a later operation removed is told by who it was.
    guard let resource = try served.type.find(result.id, in: exchange.view) else {
      return try DocumentContent(data: .linkage(.one(result))).write(to: &run)
    }
    return try DocumentContent(data: .one(exchange.node(resource))).write(to: &run)
  }

  private func exchange(_ served: ServedResource) -> JSONAPIExchange {
    JSONAPIExchange(request, registry, served)
  }

  // MARK: One operation

  private func run(
    _ operation: JSONValue, _ store: Store, _ local: inout ResourceDocument.LocalIDs
  ) throws -> JSONAPIIdentifier? {
    guard operation.members != nil, let kind = operation["op"]?.text,
      ["add", "update", "remove"].contains(kind)
    else { throw ResourceProblem(400, "op is add, update or remove", pointer: "/op") }
    var target = try target(of: operation, store, local)
    // The id in its data is what the new resource wants for itself.
    if kind == "add", operation["ref"] == nil, operation["href"] == nil { target.id = nil }
    if let relationship = target.relationship {
      try change(kind, relationship, target, operation, store, local)
      return nil
    }
    switch kind {
    case "add": return try add(target, operation, store, &local)
    case "update": return try update(target, operation, store, local)
    default:
      try remove(target, store)
      return nil
    }
  }

  private func add(
    _ target: Target, _ operation: JSONValue, _ store: Store, _ local: inout ResourceDocument.LocalIDs
  ) throws -> JSONAPIIdentifier? {
    guard target.id == nil else {
      throw ResourceProblem(
        400, "a resource is added to a collection, not to another resource", pointer: "/href")
    }
    let exchange = exchange(target.served)
    try exchange.check(.create, "created")
    let data = try data(of: operation)
    let known = local
    let created = try insideData {
      try target.served.type.create(try exchange.newResource(data, store, known), in: store)
    }
    let identifier = JSONAPIIdentifier(type: created.type.name, id: created.id)
    if let lid = data["lid"]?.text {
      guard local.updateValue(created.id, forKey: JSONAPIIdentifier(type: identifier.type, id: lid)) == nil
      else {
        throw ResourceProblem(400, "the local id \(lid.debugDescription) is taken", pointer: "/data/lid")
      }
    }
    return identifier
  }

  private func update(
    _ target: Target, _ operation: JSONValue, _ store: Store, _ local: ResourceDocument.LocalIDs
  ) throws -> JSONAPIIdentifier? {
    let exchange = exchange(target.served)
    try exchange.check(.update, "updated")
    let data = try data(of: operation)
    let id = try id(of: target)
    let isLocal = data["lid"] != nil
    let updated = try insideData { try exchange.update(id, data, store, local, needsID: !isLocal) }
    return JSONAPIIdentifier(type: updated.type.name, id: updated.id)
  }

  private func remove(_ target: Target, _ store: Store) throws {
    try exchange(target.served).check(.delete, "deleted")
    let id = try id(of: target)
    guard target.served.type.delete(id, in: store) else {
      throw ResourceProblem.missing(target.served.type.name, id).inside("/ref")
    }
  }

  private func change(
    _ kind: String, _ relationship: String, _ target: Target, _ operation: JSONValue, _ store: Store,
    _ local: ResourceDocument.LocalIDs
  ) throws {
    let data = try data(of: operation)
    let id = try id(of: target)
    let change: JSONAPIExchange.LinkageChange = kind == "add" ? .add : kind == "update" ? .replace : .remove
    try insideData {
      try exchange(target.served).change(change, relationship, of: id, data, store, local)
    }
  }

  private func insideData<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw ResourceProblem(error).inside("/data") }
  }

  private func data(of operation: JSONValue) throws(ResourceProblem) -> JSONValue {
    guard let data = operation["data"] else {
      throw ResourceProblem(400, "the operation has no data", pointer: "")
    }
    return data
  }

  private func id(of target: Target) throws(ResourceProblem) -> String {
    guard let id = target.id else {
      throw ResourceProblem(400, "the operation names no resource", pointer: "")
    }
    return id
  }

  // MARK: Targets

  private func target(
    of operation: JSONValue, _ store: Store, _ local: ResourceDocument.LocalIDs
  ) throws(ResourceProblem) -> Target {
    switch (operation["ref"], operation["href"]) {
    case (.some, .some): throw ResourceProblem(400, "an operation has ref or href, not both", pointer: "")
    case (let ref?, nil): return try target(ref, local, "/ref")
    case (nil, let href?): return try target(href: href.text ?? "")
    case (nil, nil): return try target(try data(of: operation), local, "/data")
    }
  }

  /// The resource or relationship that a reference or a resource object names.
  private func target(
    _ reference: JSONValue, _ local: ResourceDocument.LocalIDs, _ pointer: String
  ) throws(ResourceProblem) -> Target {
    guard let type = reference["type"]?.text else {
      throw ResourceProblem(400, "a type is wanted, which is a text", pointer: "\(pointer)/type")
    }
    guard let served = registry.resource(named: type) else {
      throw ResourceProblem(404, "nothing of the type \(type) is served", pointer: "\(pointer)/type")
    }
    var target = Target(served: served, id: reference["id"]?.text)
    if pointer == "/ref" { target.relationship = reference["relationship"]?.text }
    guard target.id == nil, let lid = reference["lid"]?.text else {
      if target.id == nil, pointer == "/ref" {
        throw ResourceProblem(400, "a reference has an id or a lid", pointer: pointer)
      }
      return target
    }
    target.id = local[JSONAPIIdentifier(type: type, id: lid)]
    if target.id == nil, pointer == "/ref" {
      throw ResourceProblem(
        404, "no operation before this one has the local id \(lid.debugDescription)", pointer: "/ref/lid")
    }
    return target
  }

  /// What a URL leads to: `/articles`, `/articles/1`, `/articles/1/relationships/author`.
  private func target(href: String) throws(ResourceProblem) -> Target {
    let segments = URLText(href).target.prefix { $0 != "?" }.split(separator: "/").map { segment in
      String(decoding: PercentCoding.decode(Array(segment.utf8)[...]), as: UTF8.self)
    }
    guard let (served, rest) = registry.resource(above: Array(segments.dropFirst(registry.rootDepth))),
      rest.count < 2 || (rest.count == 3 && rest[1] == "relationships")
    else { throw ResourceProblem(404, "\(href.debugDescription) is no resource here", pointer: "/href") }
    return Target(served: served, id: rest.first, relationship: rest.count == 3 ? rest[2] : nil)
  }
}
