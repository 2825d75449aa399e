import TapedeckHTTP
import TapedeckRecording

/// Fills a draft from one entry of another tool's HAR.
struct HAREntry {
  private let entry: JSONValue
  private let request: JSONValue
  private let response: JSONValue
  private let source: ImportSource

  init(_ entry: JSONValue, source: ImportSource) {
    self.entry = entry
    self.source = source
    request = entry["request"] ?? .null
    response = entry["response"] ?? .null
  }

  func fill(_ draft: inout ExchangeDraft) throws(EntryRefusal) {
    draft.method = request["method"]?.text ?? ""
    draft.url = request["url"]?.text ?? ""
    try refuseFailure()
    HARFields.each(request["headers"]) { draft.appendRequestField($0, $1) }
    HARFields.each(response["headers"]) { draft.appendResponseField($0, $1) }
    draft.version = response["httpVersion"]?.text?.uppercased() == "HTTP/1.0" ? .http10 : .http11
    draft.status = status
    draft.reason = response["statusText"].flatMap(\.utf8Text)
    try fillRequestBody(&draft)
    try fillResponseBody(&draft)
    fillFacts(&draft)
  }

  private var status: Int {
    guard let number = response["status"]?.double, number.magnitude < 1000 else { return 0 }
    return Int(number)
  }

  /// Refuses attempts that ended without a response: their status is 0 or -1, and browsers say why in a member of
  /// their own.
  private func refuseFailure() throws(EntryRefusal) {
    if let messages = entry["_webSocketMessages"]?.array {
      throw EntryRefusal(
        "a WebSocket is not recorded\(messages.isEmpty ? "" : ", nor are its messages"); left out")
    }
    guard status <= 0 else { return }
    let reason = [response["_error"], response["_failureText"], entry["_error"], response["comment"]]
      .compactMap { $0?.text }.first { !$0.isEmpty }
    throw EntryRefusal(
      "the request failed\(reason.map { " (\($0.prefix(80)))" } ?? ""), so there is no answer; left out")
  }

  private func fillFacts(_ draft: inout ExchangeDraft) {
    let duration = entry["time"]?.double.flatMap { VolatileFacts.milliseconds.contains($0) ? $0 : nil }
    draft.volatile.durationMilliseconds = duration
    if let started = entry["startedDateTime"]?.text.flatMap(ImportedTime.iso8601) {
      draft.volatile.recordedAtMicroseconds = (started + Int((duration ?? 0).rounded())) * 1000
    }
    if let address = entry["serverIPAddress"]?.text, !address.isEmpty {
      draft.volatile.remoteAddress = address
    }
  }

  // MARK: Bodies

  private func fillRequestBody(_ draft: inout ExchangeDraft) throws(EntryRefusal) {
    let data = request["postData"] ?? .null
    var isMissing = false
    if let name = data["_file"]?.text {
      draft.requestBody = untranscoded(try source.body(name), draft.requestFields)
    } else if let bytes = data["text"]?.utf8Text, !bytes.isEmpty || !hasParams(data) {
      draft.requestBody =
        decoded(bytes, data["_encoding"] ?? data["encoding"])
        ?? transcoded(bytes, draft.requestFields, [request["bodySize"]], &draft)
    } else {
      let body = formBody(data)
      draft.requestBody = body ?? []
      isMissing = body == nil
    }
    if isMissing || draft.requestBody.isEmpty && saysRequestHadBody(draft.requestFields) {
      draft.remark(
        .lost,
        "the request's body is not in the file; only rules that leave bodies out match it, like --match "
          + "method,path,query")
    }
    addMediaType(of: data, to: &draft)
  }

  /// Whether the file says that there was a body: browsers leave out those that are binary or too large to show.
  private func saysRequestHadBody(_ fields: HTTPFields) -> Bool {
    if let length = fields.text("content-length") { return length != "0" }
    return (request["bodySize"]?.double ?? -1) > 0 && request["method"]?.text != "GET"
  }

  private func hasParams(_ data: JSONValue) -> Bool { data["params"]?.array?.isEmpty == false }

  /// Some tools give the media type with the body only.
  private func addMediaType(of data: JSONValue, to draft: inout ExchangeDraft) {
    guard !draft.requestFields.contains("content-type"), !draft.requestBody.isEmpty,
      let type = data["mimeType"]?.text,
      type.contains("/"), request["headers"]?.array?.isEmpty ?? true
    else { return }
    draft.requestFields.append(literal: "Content-Type", type)
  }

  private func fillResponseBody(_ draft: inout ExchangeDraft) throws(EntryRefusal) {
    let content = response["content"] ?? .null
    if let name = content["_file"]?.text {
      draft.responseBody = untranscoded(try source.body(name), draft.responseFields)
    } else if let bytes = content["text"]?.utf8Text {
      if let chunks = pollyChunks(bytes, content["encoding"]) {
        draft.responseBody = chunks
        draft.coding = .exact
      } else {
        draft.responseBody =
          decoded(bytes, content["encoding"])
          ?? transcoded(bytes, draft.responseFields, [content["size"], response["bodySize"]], &draft)
      }
    } else if isBodyMissing(content, draft) {
      throw EntryRefusal("the answer's body is not in the file; left out, since an empty one would be wrong")
    }
  }

  /// Without any text, a response has an empty body only if something says so: browsers drop large and binary ones.
  private func isBodyMissing(_ content: JSONValue, _ draft: ExchangeDraft) -> Bool {
    if BodyFraming.hasNoBody(status: draft.status, method: HTTPMethod(rawValue: draft.method)) {
      return false
    }
    // Browsers follow a redirect before its body comes, and nothing reads it.
    if (300..<400).contains(draft.status) { return false }
    let size = content["size"]?.double ?? -1
    if size >= 0 { return size > 0 }
    if let length = draft.responseFields.text("content-length") { return length != "0" }
    return (response["bodySize"]?.double ?? -1) > 0
  }

  /// The body of a form of which the file has only the parameters, encoded or decoded; nil for a multipart body, which
  /// cannot be rebuilt from its parts.
  private func formBody(_ data: JSONValue) -> [UInt8]? {
    let params = data["params"]?.array ?? []
    guard !params.isEmpty else { return [] }
    let type = data["mimeType"]?.text?.lowercased() ?? ""
    guard type.isEmpty || type.hasPrefix("application/x-www-form-urlencoded") else { return nil }
    let pairs = params.map { ($0["name"]?.utf8Text ?? [], $0["value"]?.utf8Text ?? []) }
    let areEncoded = pairs.allSatisfy { FormEncoding.isEncoded($0.0) && FormEncoding.isEncoded($0.1) }
    return FormEncoding.joined(
      pairs.map { name, value in
        areEncoded ? name + [UInt8(ascii: "=")] + value : FormEncoding.pair(name, value)
      })
  }

  /// The bytes of base64; nil when it is not said to be base64, or is not although it is said to be.
  private func decoded(_ text: [UInt8], _ encoding: JSONValue?) -> [UInt8]? {
    encoding?.text?.lowercased() == "base64" ? Base64.decodeTolerant(text) : nil
  }

  /// A body from a file of its own, where Playwright writes text as UTF-8 whatever its charset.
  private func untranscoded(_ bytes: [UInt8], _ fields: HTTPFields) -> [UInt8] {
    guard UTF8Scan.isValid(bytes[...]) else { return bytes }
    return TextCharset.encode(bytes, as: fields) ?? bytes
  }

  /// Text as bytes: in the charset that `fields` name. Without one, some tools take every byte for a character; the
  /// length that the file gives for the body tells.
  private func transcoded(
    _ text: [UInt8], _ fields: HTTPFields, _ sizes: [JSONValue?], _ draft: inout ExchangeDraft
  ) -> [UInt8] {
    guard TextCharset.name(fields) == nil else {
      if let bytes = TextCharset.encode(text, as: fields) { return bytes }
      draft.remark(
        .lost, "a body is UTF-8 now, since it cannot be put back into the charset that its Content-Type names"
      )
      return text
    }
    let sizes = Set(
      sizes.compactMap { $0?.int } + [fields.text("content-length").flatMap { Int($0) }].compactMap { $0 })
    guard !sizes.contains(text.count), let bytes = TextCharset.latin1(text), sizes.contains(bytes.count)
    else {
      return text
    }
    return bytes
  }

  /// A compressed body as Polly.JS writes it, as the pieces it came in: the text is a JSON array of strings, each of them
  /// base64, in old versions hexadecimal. Nil when the text is no such thing.
  private func pollyChunks(_ text: [UInt8], _ encoding: JSONValue?) -> [UInt8]? {
    guard encoding?.text?.lowercased() == "base64", text.first == UInt8(ascii: "["),
      let pieces = try? JSONValue(parsing: text), let items = pieces.array, !items.isEmpty
    else { return nil }
    let texts = items.compactMap(\.utf8Text)
    guard texts.count == items.count else { return nil }
    return Self.joined(texts, Self.hexadecimal) ?? Self.joined(texts, Base64.decodeTolerant)
  }

  private static func joined(_ texts: [[UInt8]], _ decode: ([UInt8]) -> [UInt8]?) -> [UInt8]? {
    var out: [UInt8] = []
    for text in texts {
      guard let bytes = decode(text) else { return nil }
      out += bytes
    }
    return out
  }

  private static func hexadecimal(_ text: [UInt8]) -> [UInt8]? {
    let digits = text.compactMap(ASCII.hexValue)
    guard digits.count == text.count, digits.count % 2 == 0 else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
