internal import TapedeckHTTP
import TapedeckOverrides
internal import TapedeckProxy

/// Routes, resources, patches and faults: the same six operations for each.
extension AdminAPI {
  static func ruleOperations(_ kind: OverrideKind) -> [AdminOperation] {
    let (list, one) = ("/v1/\(kind.rawValue)", "/v1/\(kind.rawValue)/{id}")
    let (word, plural) = (kind.word, kind.rawValue)
    let rule = AdminSchemas.reference("Rule")
    let declaration = AdminSchemas.reference("\(word.capitalizedWord)Declaration")
    let put: [AdminOperation.Response] = [
      .init(status: 201, description: "it is new", schema: rule),
      .ok("it replaces the one with the same id", rule),
    ]
    return [
      AdminOperation(
        id: "list-\(plural)", method: .get, path: list, summary: "All \(plural).", parameters: [session],
        responses: [.ok("the \(plural), in the order they were declared", AdminSchemas.list(rule))],
        problems: [404]
      ) { .json(.array(try $0.session().overrides.rules(kind).map(\.json))) },
      AdminOperation(
        id: "add-\(word)", method: .post, path: list,
        summary: "Adds a \(word), which applies from the next request on.",
        parameters: [session], body: declaration, responses: put, problems: [404, 422]
      ) { try self.put(kind, $0, id: nil) },
      AdminOperation(
        id: "clear-\(plural)", method: .delete, path: list,
        summary: "Removes all \(plural), including those from the overrides file.",
        parameters: [session], responses: [.noContent("they are removed")], problems: [404]
      ) {
        try $0.session().overrides.removeAll(kind)
        return .noContent
      },
      AdminOperation(
        id: "get-\(word)", method: .get, path: one, summary: "One \(word).", parameters: [session],
        responses: [.ok("the \(word)", rule)], problems: [404]
      ) { request in
        let rules = try request.session().overrides.rules(kind)
        return .json(try request.find(kind.word) { id in rules.first { $0.id == id } }.json)
      },
      AdminOperation(
        id: "put-\(word)", method: .put, path: one,
        summary: "Adds a \(word) with this id, or replaces it.",
        parameters: [session], body: declaration, responses: put, problems: [404, 422]
      ) { try self.put(kind, $0, id: $0.component("id")) },
      AdminOperation(
        id: "delete-\(word)", method: .delete, path: one, summary: "Removes a \(word).",
        parameters: [session], responses: [.noContent("it is removed")], problems: [404]
      ) { request in
        let id = request.component("id")
        guard try request.session().overrides.remove(kind, id) else {
          throw AdminProblem.missing(kind.word, id)
        }
        return .noContent
      },
    ]
  }

  private static func put(_ kind: OverrideKind, _ request: AdminRequest, id: String?) throws -> HTTPResponse {
    let overrides = try request.session().overrides
    guard let json = request.body, json.members != nil else {
      throw AdminProblem(422, "a \(kind.word) is an object")
    }
    if let id, let named = json["id"]?.text, named != id {
      throw AdminProblem(422, "the id in the body is \(named), the one in the path \(id)", place: "id")
    }
    let put = try overrides.put(kind, json, id: id)
    guard let rule = overrides.rules(kind).first(where: { $0.id == put.id }) else {
      throw AdminProblem(409, "it was removed at the same time")
    }
    var response = HTTPResponse.json(rule.json, status: put.isNew ? 201 : 200)
    if put.isNew { response.head.fields.append(literal: "Location", "/v1/\(kind.rawValue)/\(put.id)") }
    return response
  }

  // MARK: The objects of a resource

  private static let data = "/v1/resources/{id}/data"
  private static let objects: JSONValue = ["type": "array", "items": ["type": "object"]]

  static let dataOperations: [AdminOperation] = [
    AdminOperation(
      id: "get-data", method: .get, path: data, summary: "All objects of a resource.",
      parameters: [session], responses: [.ok("the objects", objects)], problems: [404]
    ) { request in
      .json(try request.find("resource") { try request.session().overrides.data(of: $0) })
    },
    AdminOperation(
      id: "set-data", method: .put, path: data,
      summary: "Replaces all objects of a resource; if one of the new ones is refused, nothing changes.",
      parameters: [session], body: objects, responses: [.noContent("the objects are replaced")],
      problems: [404, 422]
    ) { request in
      let id = request.component("id")
      guard try request.session().overrides.setData(of: id, to: request.body ?? .null) else {
        throw AdminProblem.missing("resource", id)
      }
      return .noContent
    },
  ]
}

extension Overrides.Rule {
  fileprivate var json: JSONValue {
    [
      "id": JSONValue(id), "declaration": declaration, "fromFile": JSONValue(isFromFile),
      "seen": JSONValue(seen), "used": JSONValue(used), "unchanged": JSONValue(unchanged),
    ]
  }
}

extension String {
  var capitalizedWord: String { prefix(1).uppercased() + dropFirst() }
}
