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
    let put: [AdminOperation.Answer] = [
      .init(status: 201, description: "it is new", schema: rule),
      .init(status: 200, description: "it has taken the place of the one with its id", schema: rule),
    ]
    return [
      AdminOperation(
        id: "list-\(plural)", method: .get, path: list, summary: "All \(plural).", parameters: [session],
        answers: [
          .init(
            status: 200, description: "the \(plural), in the order of their declaration",
            schema: AdminSchemas.list(rule))
        ],
        problems: [404]
      ) { AdminAnswer(.array(try $0.session().overrides.rules(kind).map(\.json))) },
      AdminOperation(
        id: "add-\(word)", method: .post, path: list,
        summary: "Adds a \(word); it holds for the next request.",
        parameters: [session], body: declaration, answers: put, problems: [404, 422]
      ) { try self.put(kind, $0, id: nil) },
      AdminOperation(
        id: "clear-\(plural)", method: .delete, path: list,
        summary: "Removes all \(plural), those of the file too.",
        parameters: [session], answers: [.init(status: 204, description: "they are gone")], problems: [404]
      ) {
        try $0.session().overrides.removeAll(kind)
        return .done
      },
      AdminOperation(
        id: "get-\(word)", method: .get, path: one, summary: "One \(word).", parameters: [session],
        answers: [.init(status: 200, description: "the \(word)", schema: rule)], problems: [404]
      ) { AdminAnswer(try self.rule(kind, $0).json) },
      AdminOperation(
        id: "put-\(word)", method: .put, path: one,
        summary: "Adds a \(word) under an id, or puts it in the place of the one there.",
        parameters: [session], body: declaration, answers: put, problems: [404, 422]
      ) { try self.put(kind, $0, id: $0.component("id")) },
      AdminOperation(
        id: "delete-\(word)", method: .delete, path: one, summary: "Removes a \(word).",
        parameters: [session],
        answers: [.init(status: 204, description: "it is gone")], problems: [404]
      ) {
        guard try $0.session().overrides.remove(kind, $0.component("id")) else { throw missing(kind, $0) }
        return .done
      },
    ]
  }

  private static func missing(_ kind: OverrideKind, _ request: AdminRequest) -> AdminProblem {
    AdminProblem(404, "there is no \(kind.word) \(request.component("id").debugDescription)")
  }

  private static func rule(_ kind: OverrideKind, _ request: AdminRequest) throws -> Overrides.Rule {
    let id = request.component("id")
    guard let rule = try request.session().overrides.rules(kind).first(where: { $0.id == id }) else {
      throw missing(kind, request)
    }
    return rule
  }

  private static func put(_ kind: OverrideKind, _ request: AdminRequest, id: String?) throws -> AdminAnswer {
    let overrides = try request.session().overrides
    guard let json = request.body, json.members != nil else {
      throw AdminProblem(422, "a \(kind.word) is an object")
    }
    if let id, let named = json["id"]?.text, named != id {
      throw AdminProblem(422, "the id in the body is \(named), the one in the path \(id)", place: "id")
    }
    let put: (id: String, isNew: Bool)
    do throws(OverrideProblem) { put = try overrides.put(kind, json, id: id) } catch {
      throw AdminProblem(422, "\(error)", place: error.place)
    }
    guard let rule = overrides.rules(kind).first(where: { $0.id == put.id }) else {
      throw AdminProblem(409, "it was removed at the same time")
    }
    var answer = AdminAnswer(rule.json, status: put.isNew ? 201 : 200)
    if put.isNew { answer.fields.append(literal: "Location", "/v1/\(kind.rawValue)/\(put.id)") }
    return answer
  }
}

extension Overrides.Rule {
  var json: JSONValue {
    [
      "id": JSONValue(id), "declaration": declaration, "fromFile": JSONValue(isFromFile),
      "seen": JSONValue(seen), "used": JSONValue(used),
      "unchanged": JSONValue(unchanged),
    ]
  }
}

extension String {
  var capitalizedWord: String { prefix(1).uppercased() + dropFirst() }
}
