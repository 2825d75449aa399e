import TapedeckHTTP
import TapedeckRecording

/// Fills a draft from one stub mapping, where it stands for one request, every condition an equality, and for one
/// response that is always the same.
struct WireMockMapping {
  private static let knownMembers: Set<String> = [
    "id", "uuid", "name", "request", "response", "newRequest", "priority", "scenarioName",
    "requiredScenarioState",
    "newScenarioState", "persistent", "insertionIndex", "metadata",
  ]
  private static let requestMembers: Set<String> = [
    "method", "url", "urlPath", "queryParameters", "headers", "bodyPatterns", "basicAuthCredentials",
    "basicAuth", "scheme", "host", "port", "formParameters",
  ]
  private static let responseMembers: Set<String> = [
    "status", "statusMessage", "headers", "body", "base64Body", "jsonBody", "bodyFileName",
    "fixedDelayMilliseconds", "transformers", "transformerParameters", "fromConfiguredStub",
  ]

  private let mapping: JSONValue
  private let request: JSONValue
  private let response: JSONValue
  let scenario: String?
  let requiredState: String?
  let newState: String?
  /// 1 goes first, and 5 where none is given.
  let priority: Int

  init(_ mapping: JSONValue) {
    self.mapping = mapping
    request = mapping["request"] ?? .null
    response = mapping["response"] ?? .null
    scenario = mapping["scenarioName"]?.text
    requiredState = mapping["requiredScenarioState"]?.text
    newState = mapping["newScenarioState"]?.text
    priority = mapping["priority"]?.int ?? 5
  }

  func fill(_ draft: inout ExchangeDraft, from source: ImportSource) throws(EntryRefusal) {
    guard mapping["request"] != nil, mapping["response"] != nil else {
      throw EntryRefusal("its request or its response is missing; left out")
    }
    try fillRequest(&draft)
    try fillResponse(&draft, from: source)
    for member in mapping.members ?? [] where !Self.knownMembers.contains(member.name.text) {
      draft.remark(.lost, "`\(member.name.text)` is not carried over")
    }
  }

  // MARK: Request

  private func fillRequest(_ draft: inout ExchangeDraft) throws(EntryRefusal) {
    draft.method = request["method"]?.text ?? "ANY"
    draft.url = origin + (try target())
    guard draft.method != "ANY" else { throw EntryRefusal("it matches any method; left out") }
    for member in request.members ?? [] where !Self.requestMembers.contains(member.name.text) {
      throw EntryRefusal("`\(member.name.text)` matches more than one request; left out")
    }
    try fillFields(&draft)
    try fillRequestBody(&draft)
    if request["url"] == nil, request["queryParameters"] == nil {
      draft.remark(.lost, "`urlPath` matches with any query there, and without one here")
    }
  }

  private var origin: String {
    guard let host = Self.equalTo(request["host"]) ?? request["host"]?.text else { return "" }
    let port = request["port"].flatMap { $0.int.map(String.init) ?? $0.text }
    return "\(request["scheme"]?.text ?? "http")://\(host)\(port.map { ":\($0)" } ?? "")"
  }

  private func target() throws(EntryRefusal) -> String {
    if let url = request["url"]?.text { return url }
    guard let path = request["urlPath"]?.text else {
      let pattern = ["urlPattern", "urlPathPattern", "urlPathTemplate"].first { request[$0] != nil }
      throw EntryRefusal(
        pattern.map { "`\($0)` matches more than one URL; left out" } ?? "it matches any URL; left out")
    }
    let parameters = try pairs("queryParameters")
    return parameters.isEmpty ? path : "\(path)?\(String(decoding: Self.form(parameters), as: UTF8.self))"
  }

  /// Names with the one value each must have.
  private func pairs(_ name: String) throws(EntryRefusal) -> [(name: String, value: String)] {
    var pairs: [(name: String, value: String)] = []
    for member in request[name]?.members ?? [] {
      guard let value = Self.equalTo(member.value) else {
        throw EntryRefusal("`\(name)` has a condition that more than one value meets; left out")
      }
      pairs.append((member.name.text, value))
    }
    return pairs
  }

  private static func form(_ pairs: [(name: String, value: String)]) -> [UInt8] {
    FormEncoding.joined(pairs.map { FormEncoding.pair($0.name.utf8, $0.value.utf8) })
  }

  /// The one value that meets a condition; nil when several do.
  private static func equalTo(_ condition: JSONValue?) -> String? {
    guard let members = condition?.members, let value = condition?["equalTo"]?.text else { return nil }
    let others = members.filter { $0.name.text != "equalTo" }
    let isExact = others.allSatisfy { $0.name.text == "caseInsensitive" && $0.value.bool == false }
    return isExact ? value : nil
  }

  private func fillFields(_ draft: inout ExchangeDraft) throws(EntryRefusal) {
    for (name, value) in try pairs("headers") { draft.appendCondition(Array(name.utf8), value) }
    guard let credentials = request["basicAuthCredentials"] ?? request["basicAuth"] else { return }
    let text = "\(credentials["username"]?.text ?? ""):\(credentials["password"]?.text ?? "")"
    draft.appendCondition(Array("Authorization".utf8), "Basic \(Base64.encode(Array(text.utf8)))")
  }

  private func fillRequestBody(_ draft: inout ExchangeDraft) throws(EntryRefusal) {
    let form = try pairs("formParameters")
    let patterns = request["bodyPatterns"]?.array ?? []
    guard patterns.count + (form.isEmpty ? 0 : 1) <= 1 else {
      throw EntryRefusal("its body has several conditions; left out")
    }
    if !form.isEmpty {
      draft.requestBody = Self.form(form)
    } else if let pattern = patterns.first {
      draft.requestBody = try requestBody(pattern, &draft)
    }
    draft.guessMediaType()
  }

  private func requestBody(_ pattern: JSONValue, _ draft: inout ExchangeDraft) throws(EntryRefusal) -> [UInt8]
  {
    if let text = Self.equalTo(pattern) { return Array(text.utf8) }
    if let json = pattern["equalToJson"] {
      if pattern["ignoreArrayOrder"]?.bool == true || pattern["ignoreExtraElements"]?.bool == true {
        draft.remark(
          .lost, "its JSON body is compared exactly here, not without array order or extra elements")
      }
      return json.text.map { Array($0.utf8) } ?? json.bytes()
    }
    if let xml = pattern["equalToXml"]?.text {
      draft.remark(.lost, "its XML body is compared byte by byte here")
      return Array(xml.utf8)
    }
    if let base64 = pattern["binaryEqualTo"]?.text, let bytes = Base64.decodeTolerant(Array(base64.utf8)) {
      return bytes
    }
    let name = pattern.members?.first?.name.text ?? "bodyPatterns"
    throw EntryRefusal("`\(name)` matches more than one body; left out")
  }

  // MARK: Response

  private func fillResponse(_ draft: inout ExchangeDraft, from source: ImportSource) throws(EntryRefusal) {
    if let fault = response["fault"]?.text { throw EntryRefusal("the fault \(fault) is no answer; left out") }
    if response["proxyBaseUrl"] != nil { throw EntryRefusal("it hands requests on to an origin; left out") }
    draft.status = response["status"]?.int ?? 200
    draft.reason = response["statusMessage"]?.text.map { Array($0.utf8) }
    draft.appendResponseFields(response["headers"])
    draft.responseBody = try responseBody(from: source, draft.responseFields)
    try refuseTemplate(draft.responseBody, draft.responseFields)
    draft.setDelay(response["fixedDelayMilliseconds"])
    for member in response.members ?? [] where !Self.responseMembers.contains(member.name.text) {
      draft.remark(.lost, "`\(member.name.text)` is not carried over")
    }
  }

  private func responseBody(from source: ImportSource, _ fields: HTTPFields) throws(EntryRefusal) -> [UInt8] {
    if let json = response["jsonBody"] { return json.bytes() }
    if let text = response["body"]?.utf8Text {
      return TextCharset.encode(text, as: fields) ?? text
    }
    if let base64 = response["base64Body"]?.text {
      guard let bytes = Base64.decodeTolerant(Array(base64.utf8)) else {
        throw EntryRefusal("its body is said to be base64 and is not; left out")
      }
      return bytes
    }
    guard let name = response["bodyFileName"]?.text else { return [] }
    return try source.mappingBody(name)
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
}
