internal import TapedeckHTTP
internal import TapedeckMocking

/// Reads the documents of requests (JSON:API 1.1 §9). Unknown members are ignored (§5). The pointers of problems begin at
/// `data`, or are nil for `data` itself.
extension JSONAPIExchange {
  /// Throws 400 for a body without JSON or `data`.
  func data() throws(ResourceProblem) -> JSONValue {
    let document = try ResourceProblem.inside("", core.json)
    if let data = document["data"] { return data }
    let detail = document.members == nil ? "a document must be an object" : "the document has no data"
    throw ResourceProblem(400, detail, pointer: "")
  }

  /// The id of a resource object, if it has one. Throws 400 for a resource object without type, 409 for one of another
  /// type.
  func id(of data: JSONValue) throws(ResourceProblem) -> String? {
    guard data.members != nil else { throw ResourceProblem(400, "data must be a resource object") }
    guard let name = data["type"]?.text else {
      throw ResourceProblem(400, "a resource object must have a type, a string", pointer: "/type")
    }
    guard name == type.name else {
      throw ResourceProblem(
        409, "resources here are of the type \(type.name), not \(name)", pointer: "/type")
    }
    guard let id = data["id"] else { return nil }
    guard let text = id.text, !text.isEmpty else {
      throw ResourceProblem(400, "an id must be a string that is not empty", pointer: "/id")
    }
    return text
  }

  /// The change that a resource object asks for.
  func change(
    _ data: JSONValue, _ store: Store, mayReplace: Bool
  ) throws(ResourceProblem) -> ResourceChange {
    func members(_ name: String) throws(ResourceProblem) -> [JSONMember] {
      guard let value = data[name] else { return [] }
      if let members = value.members { return members }
      throw ResourceProblem(400, "\(name) must be an object", pointer: "/\(name)")
    }
    var change = ResourceChange(attributes: try members("attributes"))
    for member in try members("relationships") {
      let name = member.name.text
      let targets = try ResourceProblem.inside("/relationships" + ResourceProblem.step(name)) {
        () throws(ResourceProblem) in
        try self.targets(of: member.value, name, store, mayReplace: mayReplace)
      }
      change.relationships.append((name, targets))
    }
    return change
  }

  private func targets(
    of object: JSONValue, _ name: String, _ store: Store, mayReplace: Bool
  ) throws(ResourceProblem) -> [ResourceIdentifier] {
    guard let relationship = type.relationship(name) else {
      throw ResourceProblem(422, "\(type.name) has no relationship \(name.debugDescription)")
    }
    guard let data = object["data"] else {
      throw ResourceProblem(400, "a relationship in a request must have data")
    }
    if relationship.isToMany { try relationship.checkReplacing(by: [], mayReplace: mayReplace) }
    return try ResourceProblem.inside("/data") { () throws(ResourceProblem) in
      let targets = try relationship.targets(data, in: store)
      try relationship.checkReplacing(by: targets, mayReplace: mayReplace)
      return targets
    }
  }
}

extension ResourceRelationship {
  /// Throws 403 where its targets may not be replaced by these.
  func checkReplacing(by targets: [ResourceIdentifier], mayReplace: Bool) throws(ResourceProblem) {
    if isToMany, !mayReplace { throw ResourceProblem(403, "the members of \(name) cannot be replaced") }
    if targets.isEmpty, !isToMany, !isOptional { throw ResourceProblem(403, "\(name) cannot be empty") }
  }

  /// Reads linkage: of the right kind and type, and leading to what exists.
  func targets(
    _ data: JSONValue, in store: Store, mustExist: Bool = true
  ) throws(ResourceProblem) -> [ResourceIdentifier] {
    guard isWritable else { throw ResourceProblem(403, "\(name) cannot be changed") }
    guard isToMany else { return data.isNull ? [] : [try target(data, in: store, mustExist)] }
    guard let items = data.array else {
      throw ResourceProblem(400, "\(name) is to-many: data must be an array")
    }
    var targets: [ResourceIdentifier] = []
    for (index, item) in items.enumerated() {
      let target = try ResourceProblem.inside("/\(index)") { () throws(ResourceProblem) in
        try self.target(item, in: store, mustExist)
      }
      if !targets.contains(target) { targets.append(target) }
    }
    return targets
  }

  private func target(
    _ data: JSONValue, in store: Store, _ mustExist: Bool
  ) throws(ResourceProblem) -> ResourceIdentifier {
    guard data.members != nil, let type = data["type"]?.text else {
      throw ResourceProblem(400, "\(name) must lead to a resource identifier")
    }
    guard targets.contains(where: { $0.name == type }) else {
      throw ResourceProblem(
        409, "\(name) leads to resources of type \(targets.named), not \(type)", pointer: "/type")
    }
    guard let id = data["id"]?.text else {
      throw ResourceProblem(400, "a resource identifier must have an id, a string", pointer: "/id")
    }
    let target = ResourceIdentifier(type: type, id: id)
    if mustExist, !has(target, in: store) { throw ResourceProblem.missing(type, id) }
    return target
  }
}
