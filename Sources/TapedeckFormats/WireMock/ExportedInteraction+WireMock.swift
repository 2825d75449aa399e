import TapedeckHTTP
import TapedeckRecording

extension ExportedInteraction {
  /// A stub mapping as WireMock's recorder writes it. Several responses to one request become the states of a scenario;
  /// the last state leads to no other, so its response is repeated.
  func wireMock(_ losses: inout ExportLosses) -> JSONValue {
    noteVersion(&losses)
    losses.note(
      "WireMock does not compare request headers, so they are not carried over; nor is when responses were recorded "
        + "and how long they took")
    func state(_ number: Int) -> JSONValue { JSONValue(number == 1 ? "Started" : "response \(number)") }
    return .object(of: [
      "name": JSONValue(file), "request": wireMockRequest(&losses), "response": wireMockResponse(&losses),
      "scenarioName": count > 1 ? JSONValue("tapedeck-\(key)") : JSONValue?.none,
      "requiredScenarioState": count > 1 ? state(number) : JSONValue?.none,
      "newScenarioState": number < count ? state(number + 1) : JSONValue?.none, "persistent": true,
    ])
  }

  private func wireMockRequest(_ losses: inout ExportLosses) -> JSONValue {
    var condition = JSONMember("binaryEqualTo", .null)
    if let (text, isJSON) = requestText {
      condition = JSONMember(isJSON ? "equalToJson" : "equalTo", text)
    } else {
      condition.value = JSONValue(Base64.encode(requestBody))
    }
    if !requestBody.isEmpty, ContentType(request.fields).essence.hasPrefix("multipart/") {
      losses.note("its parts match with the same boundary only", of: file)
    }
    let origin = request.namesOrigin ? request.origin : nil
    return .object(of: [
      "scheme": origin.map { JSONValue($0.scheme.rawValue) },
      "host": origin.map { ["equalTo": JSONValue($0.host)] },
      "port": origin.flatMap { $0.port == $0.scheme.defaultPort ? nil : JSONValue(Int($0.port)) },
      "method": JSONValue(request.method.rawValue), "url": JSONValue(request.targetText),
      "bodyPatterns": requestBody.isEmpty ? JSONValue?.none : [.object([condition])],
    ])
  }

  private func wireMockResponse(_ losses: inout ExportLosses) -> JSONValue {
    let head = response.head
    // WireMock sets the length itself, except in responses to HEAD.
    var fields = head.fields
    if request.method != .head { fields.removeAll("content-length") }
    let headers = grouped(fields, &losses).map { name, values in
      JSONMember(
        JSONString(name), values.count == 1 ? JSONValue(values[0]) : .array(values.map { JSONValue($0) }))
    }
    let isUTF8 = [nil, "utf-8", "utf8"].contains(TextCharset.name(head.fields))
    let text = isUTF8 ? JSONValue(ifText: responseBody) : JSONValue?.none
    let base64 = text == nil ? JSONValue(Base64.encode(responseBody)) : JSONValue?.none
    return .object(of: [
      "status": JSONValue(head.status),
      "statusMessage": hasOwnReason ? JSONValue(decoding: head.reason) : JSONValue?.none,
      "headers": .object(headers), "body": responseBody.isEmpty ? JSONValue?.none : text,
      "base64Body": responseBody.isEmpty ? JSONValue?.none : base64,
    ])
  }
}
