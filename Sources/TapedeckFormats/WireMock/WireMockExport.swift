import TapedeckHTTP
import TapedeckRecording

/// One stub mapping as WireMock's recorder writes it; several answers to one request are the states of a scenario.
enum WireMockExport {
  static func mapping(
    _ message: ExportedMessage, _ place: ExportedPlace, _ losses: inout ExportLosses
  ) -> JSONValue {
    losses.noteVersion(message.answer)
    losses.note(
      "WireMock does not compare request headers, so they are not carried over; nor is when answers were recorded "
        + "and how long they took")
    var members = [
      JSONMember("name", JSONValue(message.file)), JSONMember("request", request(message, &losses)),
      JSONMember("response", response(message, &losses)),
    ]
    if place.count > 1 { members += scenario(place) }
    return .object(members + [JSONMember("persistent", true)])
  }

  /// The last state has none behind it, so that its answer is repeated.
  private static func scenario(_ place: ExportedPlace) -> [JSONMember] {
    func state(_ number: Int) -> JSONValue { JSONValue(number == 1 ? "Started" : "answer \(number)") }
    var members = [
      JSONMember("scenarioName", JSONValue("tapedeck-\(place.key)")),
      JSONMember("requiredScenarioState", state(place.number)),
    ]
    if place.number < place.count { members.append(JSONMember("newScenarioState", state(place.number + 1))) }
    return members
  }

  private static func request(_ message: ExportedMessage, _ losses: inout ExportLosses) -> JSONValue {
    var members = [
      JSONMember("method", JSONValue(message.request.method.rawValue)),
      JSONMember("url", JSONValue(message.request.targetText)),
    ]
    let body = message.requestBody
    guard !body.isEmpty else { return .object(members) }
    if ContentType(message.request.fields).essence.hasPrefix("multipart/") {
      losses.note("its parts match with the same boundary only", of: message.file)
    }
    let condition: JSONMember
    if let text = HARBody.text(body) {
      let isJSON = (try? JSONValue(parsing: body)) != nil && ContentType(message.request.fields).isJSON
      condition = JSONMember(isJSON ? "equalToJson" : "equalTo", text)
    } else {
      condition = JSONMember("binaryEqualTo", JSONValue(Base64.encode(body)))
    }
    members.append(JSONMember("bodyPatterns", .array([.object([condition])])))
    return .object(members)
  }

  private static func response(_ message: ExportedMessage, _ losses: inout ExportLosses) -> JSONValue {
    let head = message.response.head
    var members = [JSONMember("status", JSONValue(head.status))]
    if message.hasOwnReason {
      members.append(JSONMember("statusMessage", JSONValue(String(decoding: head.reason, as: UTF8.self))))
    }
    // The length is WireMock's to tell, but where no body is that could have it.
    let isHead = message.request.method == .head
    let fields = ExportedFields(head.fields, of: message.file, &losses) {
      isHead || !$0.isNamed("content-length")
    }
    members.append(JSONMember("headers", fields.shortJSON))
    guard !message.responseBody.isEmpty else { return .object(members) }
    let isUTF8 = [nil, "utf-8", "utf8"].contains(TextCharset.name(head.fields))
    if isUTF8, let text = HARBody.text(message.responseBody) {
      members.append(JSONMember("body", text))
    } else {
      members.append(JSONMember("base64Body", JSONValue(Base64.encode(message.responseBody))))
    }
    return .object(members)
  }
}
