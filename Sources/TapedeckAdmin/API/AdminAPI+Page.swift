internal import TapedeckHTTP
import TapedeckOverrides

/// What the inspector page needs besides the rest of the API: its way in, and the feed of requests.
extension AdminAPI {
  private static let hexadecimal: JSONValue = ["type": "string", "pattern": "^[0-9a-f]{64}$"]

  static let pageOperations: [AdminOperation] = [
    AdminOperation(
      id: "add-page-code", method: .post, path: "/v1/ui/codes",
      summary: "A code that opens the inspector page once, within five minutes, and the page's URL with it.",
      responses: [
        .init(
          status: 201, description: "the code, and the URL to open",
          schema: AdminSchemas.object([("code", hexadecimal), ("url", AdminSchemas.text)]))
      ]
    ) { request in
      let code = try request.context.access.makeCode().text
      let url = "\(request.origin)\(PageFile.folder)#code=\(code)"
      return .json(["code": JSONValue(code), "url": JSONValue(url)], status: 201)
    },
    AdminOperation(
      id: "add-page-token", method: .post, path: "/v1/ui/tokens",
      summary: "Trades a code for a token that holds until the proxy ends. Needs no token itself.",
      body: AdminSchemas.object([("code", hexadecimal)]),
      responses: [
        .init(
          status: 201, description: "the token", schema: AdminSchemas.object([("token", AdminSchemas.text)]))
      ],
      problems: [422], isOpen: true
    ) { request in
      let code = try request.object("code")["code"]?.text ?? ""
      guard let token = try request.context.access.trade(code) else {
        throw AdminProblem(
          401, "the code is wrong, or was used or made too long ago; 'tapedeck ui' makes another")
      }
      return .json(["token": JSONValue(token.text)], status: 201)
    },
    AdminOperation(
      id: "follow-requests", method: .get, path: "/v1/events",
      summary: "Follows the requests of all sessions, and the state of the proxy, as server-sent events.",
      parameters: [
        .init(
          name: "after",
          description: "begins after the event with this id, or with -1 after the last request so far; "
            + "without it, with all that the request log holds",
          schema: ["type": "integer", "minimum": -1])
      ],
      responses: [
        .init(
          status: 200,
          description: "events: state (a State), requests (a list of FollowedRequest), and gap (the count of "
            + "requests that are missing)", schema: AdminSchemas.text, contentType: "text/event-stream")
      ],
      stream: { try RequestFeed($0) }
    ) { _ in HTTPResponse(status: 200, contentType: "text/event-stream", body: []) },
  ]
}
