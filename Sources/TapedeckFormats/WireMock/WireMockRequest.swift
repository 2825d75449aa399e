import TapedeckHTTP

/// What a mapping asks of a request, where that pins one request: every condition an equality.
struct WireMockRequest {
  private static let knownMembers: Set<String> = [
    "method", "url", "urlPath", "queryParameters", "headers", "bodyPatterns", "basicAuthCredentials",
    "basicAuth",
    "scheme", "host", "port", "formParameters",
  ]

  private let request: JSONValue

  init(_ request: JSONValue) { self.request = request }

  func fill(_ draft: inout ExchangeDraft) throws(EntryRefusal) {
    draft.method = request["method"]?.text ?? "ANY"
    draft.url = origin + (try target())
    guard draft.method != "ANY" else { throw EntryRefusal("it matches any method; left out") }
    for member in request.members ?? [] where !Self.knownMembers.contains(member.name.text) {
      throw EntryRefusal("`\(member.name.text)` matches more than one request; left out")
    }
    try fillFields(&draft)
    try fillBody(&draft)
    if request["url"] == nil, request["queryParameters"] == nil {
      draft.remark(.lost, "`urlPath` matches with any query there, and without one here")
    }
  }

  // MARK: Target

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
    return parameters.isEmpty ? path : "\(path)?\(Self.form(parameters))"
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

  private static func form(_ pairs: [(name: String, value: String)]) -> String {
    pairs.map { pair in
      let (name, value) = (
        HARParams.encoded(Array(pair.name.utf8)), HARParams.encoded(Array(pair.value.utf8))
      )
      return String(decoding: name + [UInt8(ascii: "=")] + value, as: UTF8.self)
    }.joined(separator: "&")
  }

  /// The one value that meets a condition; nil when several do.
  private static func equalTo(_ condition: JSONValue?) -> String? {
    guard let members = condition?.members, let value = condition?["equalTo"]?.text else { return nil }
    let others = members.filter { $0.name.text != "equalTo" }
    let isExact = others.allSatisfy { $0.name.text == "caseInsensitive" && $0.value.bool == false }
    return isExact ? value : nil
  }

  // MARK: Fields

  private func fillFields(_ draft: inout ExchangeDraft) throws(EntryRefusal) {
    for (name, value) in try pairs("headers") {
      draft.appendRequestField(Array(name.utf8), Array(value.utf8))
      if name.lowercased() != "content-type" {
        draft.remark(.lost, "conditions on headers count only where the cassette's rules name them")
      }
    }
    guard let credentials = request["basicAuthCredentials"] ?? request["basicAuth"] else { return }
    let text = "\(credentials["username"]?.text ?? ""):\(credentials["password"]?.text ?? "")"
    draft.appendRequestField(
      Array("Authorization".utf8), Array("Basic \(Base64.encode(Array(text.utf8)))".utf8))
    draft.remark(.lost, "conditions on headers count only where the cassette's rules name them")
  }

  // MARK: Body

  private func fillBody(_ draft: inout ExchangeDraft) throws(EntryRefusal) {
    let form = try pairs("formParameters")
    let patterns = request["bodyPatterns"]?.array ?? []
    guard patterns.count + (form.isEmpty ? 0 : 1) <= 1 else {
      throw EntryRefusal("its body has several conditions; left out")
    }
    if !form.isEmpty {
      draft.requestBody = Array(Self.form(form).utf8)
    } else if let pattern = patterns.first {
      draft.requestBody = try body(pattern, &draft)
    }
    draft.guessMediaType()
  }

  private func body(_ pattern: JSONValue, _ draft: inout ExchangeDraft) throws(EntryRefusal) -> [UInt8] {
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
}
