import TapedeckHTTP
import TapedeckRecording
import TapedeckRedaction

extension ExchangeDraft {
  private static let mappingMembers: Set<String> = [
    "id", "uuid", "name", "request", "response", "newRequest", "priority", "scenarioName",
    "requiredScenarioState", "newScenarioState", "persistent", "insertionIndex", "metadata",
  ]
  private static let requestMembers: Set<String> = [
    "method", "url", "urlPath", "queryParameters", "headers", "bodyPatterns", "basicAuthCredentials",
    "basicAuth", "scheme", "host", "port", "formParameters",
  ]
  private static let responseMembers: Set<String> = [
    "status", "statusMessage", "headers", "body", "base64Body", "jsonBody", "bodyFileName",
    "fixedDelayMilliseconds", "transformers", "transformerParameters", "fromConfiguredStub",
  ]

  /// Fills in one stub mapping, where it stands for one request, every condition an equality, and for one response that
  /// is always the same.
  mutating func fill(wireMock mapping: JSONValue, from source: ImportSource) throws(EntryRefusal) {
    guard let request = mapping["request"], let response = mapping["response"] else {
      throw EntryRefusal("its request or its response is missing")
    }
    try fillRequest(request)
    try fillResponse(response, from: source)
    remarkOthers(in: mapping, than: Self.mappingMembers)
  }

  private mutating func remarkOthers(in value: JSONValue, than known: Set<String>) {
    for member in value.members ?? [] where !known.contains(member.name.text) {
      remark(.lost, "`\(member.name.text)` is not carried over")
    }
  }

  // MARK: Request

  private mutating func fillRequest(_ request: JSONValue) throws(EntryRefusal) {
    method = request["method"]?.text ?? "ANY"
    url = Self.origin(request) + (try Self.target(request))
    guard method != "ANY" else { throw EntryRefusal("it matches any method") }
    for member in request.members ?? [] where !Self.requestMembers.contains(member.name.text) {
      throw EntryRefusal("`\(member.name.text)` matches more than one request")
    }
    for (name, value) in try Self.pairs(request, "headers") { appendCondition(Array(name.utf8), value) }
    if let credentials = request["basicAuthCredentials"] ?? request["basicAuth"] {
      let text = "\(credentials["username"]?.text ?? ""):\(credentials["password"]?.text ?? "")"
      appendCondition(Array("Authorization".utf8), "Basic \(Base64.encode(Array(text.utf8)))")
    }
    try fillRequestBody(request)
    if request["url"] == nil, request["queryParameters"] == nil {
      remark(.lost, "`urlPath` matches with any query there, and without one here")
    }
  }

  private static func origin(_ request: JSONValue) -> String {
    guard let host = equalTo(request["host"]) ?? request["host"]?.text else { return "" }
    let port = request["port"].flatMap { $0.int.map(String.init) ?? $0.text }
    return "\(request["scheme"]?.text ?? "http")://\(host)\(port.map { ":\($0)" } ?? "")"
  }

  private static func target(_ request: JSONValue) throws(EntryRefusal) -> String {
    if let url = request["url"]?.text { return url }
    guard let path = request["urlPath"]?.text else {
      let pattern = ["urlPattern", "urlPathPattern", "urlPathTemplate"].first { request[$0] != nil }
      throw EntryRefusal(pattern.map { "`\($0)` matches more than one URL" } ?? "it matches any URL")
    }
    return path + FormEncoding.query(encoded(try pairs(request, "queryParameters")))
  }

  /// Names with the one value each must have.
  private static func pairs(
    _ request: JSONValue, _ name: String
  ) throws(EntryRefusal) -> [(name: String, value: String)] {
    try (request[name]?.members ?? []).map { member throws(EntryRefusal) in
      guard let value = equalTo(member.value) else {
        throw EntryRefusal("`\(name)` has a condition that more than one value meets")
      }
      return (member.name.text, value)
    }
  }

  private static func encoded(_ pairs: [(name: String, value: String)]) -> [[UInt8]] {
    pairs.map { FormEncoding.pair($0.name.utf8, $0.value.utf8) }
  }

  /// The one value that meets a condition; `nil` if several do.
  private static func equalTo(_ condition: JSONValue?) -> String? {
    guard let members = condition?.members, let value = condition?["equalTo"]?.text else { return nil }
    let isExact = members.allSatisfy {
      $0.name.text == "equalTo" || $0.name.text == "caseInsensitive" && $0.value.bool == false
    }
    return isExact ? value : nil
  }

  private mutating func fillRequestBody(_ request: JSONValue) throws(EntryRefusal) {
    let form = try Self.pairs(request, "formParameters")
    let patterns = request["bodyPatterns"]?.array ?? []
    guard patterns.count + (form.isEmpty ? 0 : 1) <= 1 else {
      throw EntryRefusal("its body has several conditions")
    }
    if !form.isEmpty {
      requestBody = FormEncoding.joined(Self.encoded(form))
    } else if let pattern = patterns.first {
      requestBody = try body(meeting: pattern)
    }
    guessMediaType()
  }

  private mutating func body(meeting pattern: JSONValue) throws(EntryRefusal) -> [UInt8] {
    if let text = Self.equalTo(pattern) { return Array(text.utf8) }
    if let json = pattern["equalToJson"] {
      if pattern["ignoreArrayOrder"]?.bool == true || pattern["ignoreExtraElements"]?.bool == true {
        remark(.lost, "its JSON body is compared exactly here, not without array order or extra elements")
      }
      return json.text.map { Array($0.utf8) } ?? json.bytes()
    }
    if let xml = pattern["equalToXml"]?.text {
      remark(.lost, "its XML body is compared byte by byte here")
      return Array(xml.utf8)
    }
    if let base64 = pattern["binaryEqualTo"]?.text, let bytes = Base64.decodeTolerant(Array(base64.utf8)) {
      return bytes
    }
    throw EntryRefusal("`\(pattern.members?.first?.name.text ?? "bodyPatterns")` matches more than one body")
  }

  // MARK: Response

  private mutating func fillResponse(_ response: JSONValue, from source: ImportSource) throws(EntryRefusal) {
    if let fault = response["fault"]?.text { throw EntryRefusal("the fault \(fault) is no response") }
    if response["proxyBaseUrl"] != nil { throw EntryRefusal("it hands requests on to an origin") }
    status = response["status"]?.int ?? 200
    reason = response["statusMessage"]?.text.map { Array($0.utf8) }
    appendResponseFields(response["headers"])
    if let json = response["jsonBody"] {
      responseBody = json.bytes()
    } else if let text = response["body"]?.utf8Text {
      responseBody = TextCharset.encode(text, as: responseFields) ?? text
    } else if let base64 = response["base64Body"]?.text {
      responseBody = try Self.decoded(base64: Array(base64.utf8))
    } else if let name = response["bodyFileName"]?.text {
      responseBody = try source.mappingBody(name)
    }
    if let transformers = response["transformers"]?.array, !transformers.isEmpty,
      isTemplate || transformers.contains(where: { $0.text != "response-template" })
    {
      throw EntryRefusal("its response is made by a transformer")
    }
    setDelay(response["fixedDelayMilliseconds"])
    remarkOthers(in: response, than: Self.responseMembers)
  }

  private var isTemplate: Bool {
    ([responseBody[...]] + responseFields.map(\.value)).contains {
      ByteSearch.first(Array("{{".utf8), in: $0) != nil
    }
  }
}
