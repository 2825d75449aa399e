internal import TapedeckHTTP

/// One thing the admin API can do: what is served and what its OpenAPI document says come from here.
struct AdminOperation: Sendable {
  struct Parameter: Sendable {
    var name: String
    var description: String
    var schema: JSONValue = ["type": "string"]
  }

  struct Answer: Sendable {
    var status: Int
    var description: String
    /// Of the body; nil where there is none.
    var schema: JSONValue?
  }

  let id: String
  let method: HTTPMethod
  /// As OpenAPI writes it: `/v1/routes/{id}`.
  let path: String
  let summary: String
  /// Of the query.
  var parameters: [Parameter] = []
  /// The schema of the body; nil where it takes none.
  var body: JSONValue?
  let answers: [Answer]
  /// Problems it may answer with beside those that any operation has.
  var problems: [Int] = []
  let run: @Sendable (AdminRequest) throws -> AdminAnswer
}
