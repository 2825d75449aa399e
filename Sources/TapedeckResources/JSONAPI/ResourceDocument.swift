internal import TapedeckHTTP
internal import TapedeckMocking

/// Reads the documents of requests (JSON:API 1.1 §9). Members that are not known are passed over (§5).
///
/// Problems carry a pointer from `data` on; whoever knows where that stands puts it before.
struct ResourceDocument {
  let data: JSONValue

  /// Throws 400 where there is no JSON, or no `data`.
  static func data(of request: Request) throws(ResourceProblem) -> JSONValue {
    let document: JSONValue
    do throws(JSONError) { document = try JSONValue(parsing: request.http.body) } catch {
      throw ResourceProblem(400, "the body is no JSON: \(error)", pointer: "")
    }
    guard document.members != nil else {
      throw ResourceProblem(400, "a document is an object", pointer: "")
    }
    guard let data = document["data"] else {
      throw ResourceProblem(400, "the document has no data", pointer: "")
    }
    return data
  }

  /// The type of a resource object. Throws 400 where it has none, 409 where it is another.
  func checkType(_ type: any ResourceType) throws(ResourceProblem) {
    guard data.members != nil else { throw ResourceProblem(400, "a resource object is wanted", pointer: "") }
    guard let name = data["type"]?.text else {
      throw ResourceProblem(400, "a resource object has a type, which is a text", pointer: "/type")
    }
    guard name == type.name else {
      throw ResourceProblem(
        409, "resources here are of the type \(type.name), not \(name)", pointer: "/type")
    }
  }

  func id() throws(ResourceProblem) -> String? {
    guard let id = data["id"] else { return nil }
    guard let text = id.text, !text.isEmpty else {
      throw ResourceProblem(400, "an id is a text", pointer: "/id")
    }
    return text
  }

  /// What the resource object wants changed.
  func change(
    _ type: any ResourceType, _ store: Store, mayReplace: Bool
  ) throws(ResourceProblem) -> ResourceChange {
    var change = ResourceChange()
    if let attributes = data["attributes"] {
      guard let members = attributes.members else {
        throw ResourceProblem(400, "attributes are an object", pointer: "/attributes")
      }
      change.attributes = members
    }
    guard let relationships = data["relationships"] else { return change }
    guard let members = relationships.members else {
      throw ResourceProblem(400, "relationships are an object", pointer: "/relationships")
    }
    for member in members {
      let name = member.name.text
      let pointer = "/relationships/\(JSONPointer.escaped(name))"
      do throws(ResourceProblem) {
        change.relationships.append(
          (name, try targets(of: member.value, type, name, store, mayReplace: mayReplace)))
      } catch {
        throw error.inside(pointer)
      }
    }
    return change
  }

  private func targets(
    of object: JSONValue, _ type: any ResourceType, _ name: String, _ store: Store, mayReplace: Bool
  ) throws(ResourceProblem) -> [JSONAPIIdentifier] {
    guard let relationship = type.relationship(name) else {
      throw ResourceProblem(422, "\(type.name) has no relationship \(name.debugDescription)", pointer: "")
    }
    guard let data = object["data"] else {
      throw ResourceProblem(400, "a relationship in a request has data", pointer: "")
    }
    if relationship.isToMany, !mayReplace {
      throw ResourceProblem(403, "the members of \(name) cannot be replaced", pointer: "")
    }
    do throws(ResourceProblem) {
      let reader = LinkageReader(relationship: relationship, store: store)
      let targets = try reader.targets(data)
      if targets.isEmpty, !relationship.isToMany, !relationship.isOptional {
        throw ResourceProblem(403, "\(name) always leads somewhere", pointer: "")
      }
      return targets
    } catch {
      throw error.inside("/data")
    }
  }
}

/// Reads resource linkage in requests: the right kind, the right type, and leading to what exists.
struct LinkageReader {
  let relationship: ResourceRelationship
  let store: Store
  var mustExist = true

  func targets(_ data: JSONValue) throws(ResourceProblem) -> [JSONAPIIdentifier] {
    guard relationship.isWritable else {
      throw ResourceProblem(403, "\(relationship.name) cannot be changed", pointer: "")
    }
    guard relationship.isToMany else {
      if data.isNull { return [] }
      return [try target(data)]
    }
    guard let items = data.array else {
      throw ResourceProblem(400, "\(relationship.name) leads to many: an array is wanted", pointer: "")
    }
    var targets: [JSONAPIIdentifier] = []
    for (index, item) in items.enumerated() {
      do throws(ResourceProblem) {
        let target = try target(item)
        if !targets.contains(target) { targets.append(target) }
      } catch {
        throw error.inside("/\(index)")
      }
    }
    return targets
  }

  private func target(_ data: JSONValue) throws(ResourceProblem) -> JSONAPIIdentifier {
    let targets = relationship.targets
    guard data.members != nil, let type = data["type"]?.text else {
      throw ResourceProblem(400, "\(relationship.name) wants a resource identifier", pointer: "")
    }
    guard let target = targets.first(where: { $0.name == type }) else {
      throw ResourceProblem(
        409, "\(relationship.name) leads to resources of type \(targets.named), not \(type)", pointer: "/type"
      )
    }
    guard let id = data["id"]?.text else {
      throw ResourceProblem(400, "a resource identifier has an id, which is a text", pointer: "/id")
    }
    if mustExist, !target.has(id, in: store) {
      var problem = ResourceProblem.missing(type, id)
      problem.pointer = ""
      throw problem
    }
    return JSONAPIIdentifier(type: type, id: id)
  }
}

extension ResourceProblem {
  /// The same, when what it is about stands at `pointer`.
  func inside(_ pointer: String) -> ResourceProblem {
    var problem = self
    if parameter == nil, header == nil { problem.pointer = pointer + (self.pointer ?? "") }
    return problem
  }
}
