import TapedeckHTTP
import TapedeckRecording

extension ExportedInteraction {
  /// A stub mapping as WireMock's recorder writes it; several responses to one request are the states of a scenario.
  func wireMock(_ losses: inout ExportLosses) -> JSONValue {
    noteVersion(&losses)
    losses.note(
      "WireMock does not compare request headers, so they are not carried over; nor is when answers were recorded "
        + "and how long they took")
    var members = [
      JSONMember("name", JSONValue(file)), JSONMember("request", wireMockRequest(&losses)),
      JSONMember("response", wireMockResponse(&losses)),
    ]
    if count > 1 { members += scenario }
    return .object(members + [JSONMember("persistent", true)])
  }

  /// The last state leads to no other, so that its response is repeated.
  private var scenario: [JSONMember] {
    func state(_ number: Int) -> JSONValue { JSONValue(number == 1 ? "Started" : "answer \(number)") }
    var members = [
      JSONMember("scenarioName", JSONValue("tapedeck-\(key)")),
      JSONMember("requiredScenarioState", state(number)),
    ]
    if number < count { members.append(JSONMember("newScenarioState", state(number + 1))) }
    return members
  }

  private func wireMockRequest(_ losses: inout ExportLosses) -> JSONValue {
    var members = [
      JSONMember("method", JSONValue(request.method.rawValue)),
      JSONMember("url", JSONValue(request.targetText)),
    ]
    guard !requestBody.isEmpty else { return .object(members) }
    if ContentType(request.fields).essence.hasPrefix("multipart/") {
      losses.note("its parts match with the same boundary only", of: file)
    }
    let condition: JSONMember
    if let text = JSONValue(ifText: requestBody) {
      let isJSON = (try? JSONValue(parsing: requestBody)) != nil && ContentType(request.fields).isJSON
      condition = JSONMember(isJSON ? "equalToJson" : "equalTo", text)
    } else {
      condition = JSONMember("binaryEqualTo", JSONValue(Base64.encode(requestBody)))
    }
    members.append(JSONMember("bodyPatterns", .array([.object([condition])])))
    return .object(members)
  }

  private func wireMockResponse(_ losses: inout ExportLosses) -> JSONValue {
    let head = response.head
    var members = [JSONMember("status", JSONValue(head.status))]
    if hasOwnReason {
      members.append(JSONMember("statusMessage", JSONValue(String(decoding: head.reason, as: UTF8.self))))
    }
    // WireMock sets the length itself, except in responses to HEAD.
    var fields = head.fields
    if request.method != .head { fields.removeAll("content-length") }
    let headers = grouped(fields, &losses).map { name, values in
      JSONMember(
        JSONString(name), values.count == 1 ? JSONValue(values[0]) : .array(values.map { JSONValue($0) }))
    }
    members.append(JSONMember("headers", .object(headers)))
    guard !responseBody.isEmpty else { return .object(members) }
    let isUTF8 = [nil, "utf-8", "utf8"].contains(TextCharset.name(head.fields))
    if isUTF8, let text = JSONValue(ifText: responseBody) {
      members.append(JSONMember("body", text))
    } else {
      members.append(JSONMember("base64Body", JSONValue(Base64.encode(responseBody))))
    }
    return .object(members)
  }
}
