import TapedeckHTTP
import TapedeckRecording

/// The answer of a mapping, where it is always the same.
struct WireMockResponse {
  private static let knownMembers: Set<String> = [
    "status", "statusMessage", "headers", "body", "base64Body", "jsonBody", "bodyFileName",
    "fixedDelayMilliseconds",
    "transformers", "transformerParameters", "fromConfiguredStub",
  ]

  private let response: JSONValue

  init(_ response: JSONValue) { self.response = response }

  func fill(_ draft: inout ExchangeDraft, from source: ImportSource) throws(EntryRefusal) {
    if let fault = response["fault"]?.text { throw EntryRefusal("the fault \(fault) is no answer; left out") }
    if response["proxyBaseUrl"] != nil { throw EntryRefusal("it hands requests on to an origin; left out") }
    draft.status = response["status"]?.int ?? 200
    draft.reason = response["statusMessage"]?.text.map { Array($0.utf8) }
    for member in response["headers"]?.members ?? [] {
      for value in member.value.array ?? [member.value] {
        draft.appendResponseField(member.name.decodedBytes, Array((value.text ?? "").utf8))
      }
    }
    draft.responseBody = try body(from: source, draft.responseFields)
    try refuseTemplate(draft.responseBody, draft.responseFields)
    fillDelay(&draft)
    for member in response.members ?? [] where !Self.knownMembers.contains(member.name.text) {
      draft.remark(.lost, "`\(member.name.text)` is not carried over")
    }
  }

  private func body(from source: ImportSource, _ fields: HTTPFields) throws(EntryRefusal) -> [UInt8] {
    if let json = response["jsonBody"] { return json.bytes() }
    if let text = response["body"].flatMap(HARText.utf8) {
      return TextCharset.encode(text, as: fields) ?? text
    }
    if let base64 = response["base64Body"]?.text {
      guard let bytes = Base64.decodeTolerant(Array(base64.utf8)) else {
        throw EntryRefusal("its body is said to be base64 and is not; left out")
      }
      return bytes
    }
    guard let name = response["bodyFileName"]?.text else { return [] }
    let content: [UInt8]?
    do throws(CassetteError) { content = try source.mappingBody(name) } catch {
      throw EntryRefusal("its body cannot be read (\(error)); left out")
    }
    guard let content else { throw EntryRefusal("its body __files/\(name) is not there; left out") }
    return content
  }

  private func refuseTemplate(_ body: [UInt8], _ fields: HTTPFields) throws(EntryRefusal) {
    let transformers = response["transformers"]?.array ?? []
    guard !transformers.isEmpty else { return }
    let isTemplate = ([body[...]] + fields.map(\.value)).contains { text in
      text.indices.contains { text[$0...].starts(with: "{{".utf8) }
    }
    if isTemplate || transformers.contains(where: { $0.text != "response-template" }) {
      throw EntryRefusal("its answer is made by a transformer; left out")
    }
  }

  private func fillDelay(_ draft: inout ExchangeDraft) {
    guard let delay = response["fixedDelayMilliseconds"]?.double, VolatileFacts.milliseconds.contains(delay),
      delay > 0
    else { return }
    draft.volatile.durationMilliseconds = delay
    draft.remark(.changed, "its delay is the duration of the recording, which --pace recorded gives back")
  }
}
