import TapedeckHTTP

/// One stub mapping.
struct WireMockMapping {
  private static let knownMembers: Set<String> = [
    "id", "uuid", "name", "request", "response", "newRequest", "priority", "scenarioName",
    "requiredScenarioState",
    "newScenarioState", "persistent", "insertionIndex", "metadata",
  ]

  private let mapping: JSONValue
  let scenario: String?
  let requiredState: String?
  let newState: String?
  /// 1 goes first, and 5 where none is given.
  let priority: Int

  init(_ mapping: JSONValue) {
    self.mapping = mapping
    scenario = mapping["scenarioName"]?.text
    requiredState = mapping["requiredScenarioState"]?.text
    newState = mapping["newScenarioState"]?.text
    priority = mapping["priority"]?.int ?? 5
  }

  func fill(_ draft: inout ExchangeDraft, from source: ImportSource) throws(EntryRefusal) {
    guard let request = mapping["request"], let response = mapping["response"] else {
      throw EntryRefusal("its request or its response is missing; left out")
    }
    try WireMockRequest(request).fill(&draft)
    try WireMockResponse(response).fill(&draft, from: source)
    for member in mapping.members ?? [] where !Self.knownMembers.contains(member.name.text) {
      draft.remark(.lost, "`\(member.name.text)` is not carried over")
    }
  }
}
