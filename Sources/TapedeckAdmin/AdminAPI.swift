internal import TapedeckHTTP
import TapedeckOverrides
internal import TapedeckProxy

/// Every operation of the admin API.
enum AdminAPI {
  static let operations: [AdminOperation] =
    deckOperations + OverrideKind.allCases.flatMap(ruleOperations) + dataOperations + sessionOperations
    + journalOperations + [documentation]

  static let session = AdminOperation.Parameter(
    name: "session", description: "the session this is about; without it, the one of requests that name none",
    schema: ["type": "string", "pattern": JSONValue(namePattern)])

  /// Of rules, sessions and cassettes in paths.
  static let namePattern = "^[A-Za-z0-9._-]{1,100}$"

  static let documentation = AdminOperation(
    id: "describe", method: .get, path: "/v1/openapi.json", summary: "This description.",
    answers: [.init(status: 200, description: "an OpenAPI 3.1 document", schema: ["type": "object"])]
  ) { _ in AdminAnswer(OpenAPI.document(operations)) }
}
