internal import TapedeckHTTP
internal import TapedeckMocking

/// Reads the documents of requests (JSON:API 1.1 §9). Unknown members are skipped (§5).
///
/// The pointers of problems begin at `data`; callers prepend the place of that.
struct JSONAPIRequestBody {
  let data: JSONValue

  /// Throws 400 for a body without JSON or `data`.
  static func data(of request: Request) throws(ResourceProblem) -> JSONValue {
    let document: JSONValue
    do throws(JSONError) { document = try JSONValue(parsing: request.http.body) } catch {
      throw ResourceProblem(400, "the body is not JSON: \(error)", pointer: "")
    }
    guard document.members != nil else {
      throw ResourceProblem(400, "a document must be an object", pointer: "")
    }
    guard let data = document["data"] else {
      throw ResourceProblem(400, "the document has no data", pointer: "")
    }
    return data
  }

  /// Throws 400 for a resource object without type, 409 for one of another type.
  func checkType(_ type: any ResourceType) throws(ResourceProblem) {
    guard data.members != nil else {
      throw ResourceProblem(400, "data must be a resource object", pointer: "")
    }
    guard let name = data["type"]?.text else {
      throw ResourceProblem(400, "a resource object must have a type, a string", pointer: "/type")
    }
    guard name == type.name else {
      throw ResourceProblem(
        409, "resources here are of the type \(type.name), not \(name)", pointer: "/type")
    }
  }

  func id() throws(ResourceProblem) -> String? {
    guard let id = data["id"] else { return nil }
    guard let text = id.text, !text.isEmpty else {
      throw ResourceProblem(400, "an id must be a string that is not empty", pointer: "/id")
    }
    return text
  }

  /// The change that the resource object asks for.
  func change(
    _ type: any ResourceType, _ store: Store, mayReplace: Bool
  ) throws(ResourceProblem) -> ResourceChange {
    var change = ResourceChange(attributes: try members("attributes"))
    for member in try members("relationships") {
      let name = member.name.text
      do throws(ResourceProblem) {
        change.relationships.append(
          (name, try targets(of: member.value, type, name, store, mayReplace: mayReplace)))
      } catch {
        throw error.inside("/relationships" + ResourceProblem.step(name))
      }
    }
    return change
  }

  private func members(_ name: String) throws(ResourceProblem) -> [JSONMember] {
    guard let value = data[name] else { return [] }
    guard let members = value.members else {
      throw ResourceProblem(400, "\(name) must be an object", pointer: "/\(name)")
    }
    return members
  }

  private func targets(
    of object: JSONValue, _ type: any ResourceType, _ name: String, _ store: Store, mayReplace: Bool
  ) throws(ResourceProblem) -> [ResourceIdentifier] {
    guard let relationship = type.relationship(name) else {
      throw ResourceProblem(422, "\(type.name) has no relationship \(name.debugDescription)", pointer: "")
    }
    guard let data = object["data"] else {
      throw ResourceProblem(400, "a relationship in a request must have data", pointer: "")
    }
    if relationship.isToMany { try relationship.checkReplacing(by: [], mayReplace: mayReplace) }
    do throws(ResourceProblem) {
      let targets = try relationship.targets(data, in: store)
      try relationship.checkReplacing(by: targets, mayReplace: mayReplace)
      return targets
    } catch {
      throw error.inside("/data")
    }
  }
}

extension ResourceRelationship {
  /// Throws 403 where its targets may not be replaced by these.
  func checkReplacing(by targets: [ResourceIdentifier], mayReplace: Bool) throws(ResourceProblem) {
    if isToMany, !mayReplace {
      throw ResourceProblem(403, "the members of \(name) cannot be replaced", pointer: "")
    }
    if targets.isEmpty, !isToMany, !isOptional {
      throw ResourceProblem(403, "\(name) cannot be empty", pointer: "")
    }
  }

  /// Reads linkage: of the right kind and type, and leading to what exists.
  func targets(
    _ data: JSONValue, in store: Store, mustExist: Bool = true
  ) throws(ResourceProblem) -> [ResourceIdentifier] {
    guard isWritable else { throw ResourceProblem(403, "\(name) cannot be changed", pointer: "") }
    guard isToMany else { return data.isNull ? [] : [try target(data, in: store, mustExist)] }
    guard let items = data.array else {
      throw ResourceProblem(400, "\(name) is to-many: data must be an array", pointer: "")
    }
    var targets: [ResourceIdentifier] = []
    for (index, item) in items.enumerated() {
      do throws(ResourceProblem) {
        let target = try target(item, in: store, mustExist)
        if !targets.contains(target) { targets.append(target) }
      } catch {
        throw error.inside("/\(index)")
      }
    }
    return targets
  }

  private func target(
    _ data: JSONValue, in store: Store, _ mustExist: Bool
  ) throws(ResourceProblem) -> ResourceIdentifier {
    guard data.members != nil, let type = data["type"]?.text else {
      throw ResourceProblem(400, "\(name) must lead to a resource identifier", pointer: "")
    }
    guard targets.contains(where: { $0.name == type }) else {
      throw ResourceProblem(
        409, "\(name) leads to resources of type \(targets.named), not \(type)", pointer: "/type")
    }
    guard let id = data["id"]?.text else {
      throw ResourceProblem(400, "a resource identifier must have an id, a string", pointer: "/id")
    }
    let target = ResourceIdentifier(type: type, id: id)
    if mustExist, !has(target, in: store) { throw ResourceProblem.missing(type, id).inside("") }
    return target
  }
}
