internal import TapedeckHTTP
import TapedeckOverrides
internal import TapedeckProxy

/// What resources hold.
extension AdminAPI {
  private static let path = "/v1/resources/{id}/data"
  private static let objects: JSONValue = ["type": "array", "items": ["type": "object"]]

  static let dataOperations: [AdminOperation] = [
    AdminOperation(
      id: "get-data", method: .get, path: path, summary: "All that a resource holds.", parameters: [session],
      answers: [.init(status: 200, description: "the objects", schema: objects)], problems: [404]
    ) {
      guard let data = try $0.session().overrides.data(of: $0.component("id")) else { throw missing($0) }
      return AdminAnswer(data)
    },
    AdminOperation(
      id: "set-data", method: .put, path: path,
      summary: "Puts these objects in the place of all that a resource holds, or none of them.",
      parameters: [session], body: objects,
      answers: [.init(status: 204, description: "it holds them")], problems: [404, 422]
    ) { request in
      let overrides = try request.session().overrides
      let isThere: Bool
      do throws(OverrideProblem) {
        isThere = try overrides.setData(of: request.component("id"), to: request.body ?? .null)
      } catch {
        throw AdminProblem(422, "\(error)", place: error.place)
      }
      guard isThere else { throw missing(request) }
      return .done
    },
  ]

  private static func missing(_ request: AdminRequest) -> AdminProblem {
    AdminProblem(404, "there is no resource \(request.component("id").debugDescription)")
  }
}
