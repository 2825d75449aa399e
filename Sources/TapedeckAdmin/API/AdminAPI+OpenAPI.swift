internal import TapedeckHTTP

/// The OpenAPI 3.1 document of the admin API, written from its operations.
extension AdminAPI {
  static var openAPI: JSONValue {
    var paths: [(String, [JSONMember])] = []
    for operation in operations {
      let member = JSONMember(JSONString(operation.method.rawValue.lowercased()), self.operation(operation))
      if let index = paths.firstIndex(where: { $0.0 == operation.path }) {
        paths[index].1.append(member)
      } else {
        paths.append((operation.path, [member]))
      }
    }
    return [
      "openapi": "3.1.0",
      "info": [
        "title": "Tapedeck admin API", "version": "1",
        "description": "Steers a running proxy, with the token of the run.",
      ],
      "security": [["token": []]],
      "paths": .object(paths.map { JSONMember(JSONString($0.0), .object(parameters(of: $0.0) + $0.1)) }),
      "components": [
        "securitySchemes": ["token": ["type": "http", "scheme": "bearer"]],
        "schemas": .object(AdminSchemas.components.map { JSONMember(JSONString($0.0), $0.1) }),
      ],
    ]
  }

  /// The parameters in a path.
  private static func parameters(of path: String) -> [JSONMember] {
    let names = path.split(separator: "/").filter { $0.hasPrefix("{") }.map { $0.dropFirst().dropLast() }
    guard !names.isEmpty else { return [] }
    let parameters = names.map { name -> JSONValue in
      [
        "name": JSONValue(String(name)), "in": "path", "required": true,
        "schema": name == "number"
          ? ["type": "integer", "minimum": 1]
          : ["type": "string", "pattern": JSONValue(namePattern)],
      ]
    }
    return [JSONMember("parameters", .array(parameters))]
  }

  private static func operation(_ operation: AdminOperation) -> JSONValue {
    var members = [
      JSONMember("operationId", JSONValue(operation.id)), JSONMember("summary", JSONValue(operation.summary)),
    ]
    let parameters: [JSONValue] = operation.parameters.map {
      [
        "name": JSONValue($0.name), "in": "query", "description": JSONValue($0.description),
        "required": .bool($0.isRequired), "schema": $0.schema,
      ]
    }
    if !parameters.isEmpty { members.append(JSONMember("parameters", .array(parameters))) }
    if let body = operation.body {
      members.append(
        JSONMember("requestBody", ["required": true, "content": ["application/json": ["schema": body]]]))
    }
    if operation.isOpen { members.append(JSONMember("security", [])) }
    members.append(JSONMember("responses", .object(responses(operation))))
    return .object(members)
  }

  /// What any operation may be refused with: a bad request, no token, a web page, another host.
  private static let refusals = [400, 401, 403, 421]

  private static func responses(_ operation: AdminOperation) -> [JSONMember] {
    let responses = operation.responses.map { response -> JSONMember in
      var members = [JSONMember("description", JSONValue(response.description))]
      if let schema = response.schema {
        let content = JSONMember(JSONString(response.contentType), ["schema": schema])
        members.append(JSONMember("content", .object([content])))
      }
      return JSONMember(JSONString("\(response.status)"), .object(members))
    }
    let problems = refusals + (operation.body == nil ? [] : [413, 415]) + operation.problems
    return responses
      + problems.map { status in
        JSONMember(
          JSONString("\(status)"),
          [
            "description": JSONValue(HTTPStatus.reason(status)),
            "content": ["application/problem+json": ["schema": AdminSchemas.reference("Problem")]],
          ])
      }
  }
}
