internal import TapedeckHTTP
import TapedeckOverrides

/// One operation of the admin API. The API is served from it, and its OpenAPI document is written from it.
struct AdminOperation: Sendable {
  struct Parameter: Sendable {
    var name: String
    var description: String
    var schema: JSONValue = ["type": "string"]
    var isRequired = false
  }

  struct Response: Sendable {
    var status: Int
    var description: String
    /// `nil` if it has no body.
    var schema: JSONValue?
    var contentType = "application/json"

    static func ok(_ description: String, _ schema: JSONValue) -> Response {
      Response(status: 200, description: description, schema: schema)
    }

    static func noContent(_ description: String) -> Response {
      Response(status: 204, description: description)
    }
  }

  let id: String
  let method: HTTPMethod
  /// As OpenAPI writes it: `/v1/routes/{id}`.
  let path: String
  let summary: String
  /// Query parameters.
  var parameters: [Parameter] = []
  /// The schema of the request's body; `nil` if it takes none.
  var body: JSONValue?
  let responses: [Response]
  /// Statuses of problems besides those that any operation may respond with.
  var problems: [Int] = []
  /// Whether it needs no token.
  var isOpen = false
  /// Takes the place of `run`, but for HEAD, where the response takes its time.
  var stream: (@Sendable (AdminRequest) throws -> any ResponseSource)?
  let run: @Sendable (AdminRequest) throws -> HTTPResponse
}

/// The operations of the admin API.
enum AdminAPI {
  static let operations: [AdminOperation] =
    proxyOperations + cassetteOperations + OverrideKind.allCases.flatMap(ruleOperations) + dataOperations
    + sessionOperations
    + requestOperations + pageOperations + [documentation]

  static let session = AdminOperation.Parameter(
    name: "session", description: "a session's name; without it, the session of requests that name none",
    schema: ["type": "string", "pattern": JSONValue(namePattern)])

  /// Of rules, sessions and cassettes in paths.
  static let namePattern = "^[A-Za-z0-9._-]{1,100}$"

  static let documentation = AdminOperation(
    id: "describe", method: .get, path: "/v1/openapi.json", summary: "This description.",
    responses: [.ok("an OpenAPI 3.1 document", ["type": "object"])]
  ) { _ in .json(openAPI) }
}

extension HTTPResponse {
  /// The response to HEAD of an operation whose response to GET takes its time: nothing is made for it.
  static var unmadeJSON: HTTPResponse { HTTPResponse(status: 200, contentType: "application/json", body: []) }

  static func json(_ value: JSONValue, status: Int = 200) -> HTTPResponse {
    HTTPResponse(status: status, contentType: "application/json", body: value.bytes(.pretty))
  }

  static var noContent: HTTPResponse { HTTPResponse(head: HTTPResponseHead(status: 204)) }
}
