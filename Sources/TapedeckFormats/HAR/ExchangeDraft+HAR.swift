import TapedeckHTTP
import TapedeckRecording

extension ExchangeDraft {
  /// Fills in one entry of another tool's HAR.
  mutating func fill(har entry: JSONValue, from source: ImportSource) throws(EntryRefusal) {
    let (request, response) = (entry["request"] ?? .null, entry["response"] ?? .null)
    method = request["method"]?.text ?? ""
    url = request["url"]?.text ?? ""
    if let number = response["status"]?.double, number.magnitude < 1000 { status = Int(number) }
    try refuseFailure(entry, response)
    HARFields.each(request["headers"]) { appendRequestField($0, $1) }
    HARFields.each(response["headers"]) { appendResponseField($0, $1) }
    version = response["httpVersion"]?.text?.uppercased() == "HTTP/1.0" ? .http10 : .http11
    reason = response["statusText"].flatMap(\.utf8Text)
    try fillRequestBody(request, source)
    try fillResponseBody(response, source)
    volatile.durationMilliseconds =
      entry["time"]?.double.flatMap { VolatileFacts.milliseconds.contains($0) ? $0 : nil }
    if let started = entry["startedDateTime"]?.text.flatMap(ImportedTime.iso8601) {
      let duration = Int((volatile.durationMilliseconds ?? 0).rounded())
      volatile.recordedAtMicroseconds = (started + duration) * 1000
    }
    if status == 101 { try fillWebSocket(entry) }
    if let address = entry["serverIPAddress"]?.text, !address.isEmpty { volatile.remoteAddress = address }
  }

  private mutating func fillWebSocket(_ entry: JSONValue) throws(EntryRefusal) {
    guard let messages = entry[HARWebSocket.name]?.array else {
      throw EntryRefusal("it switches protocols (101), and the file has no \(HARWebSocket.name)")
    }
    let start = entry["startedDateTime"]?.text.flatMap(ImportedTime.iso8601)
    let (webSocket, leftAway) = try HARWebSocket.decode(messages, start: start)
    self.webSocket = webSocket
    // RFC 6455 §3: the handshake of `ws` is a request of http, and that of `wss` one of https.
    if url.hasPrefix("ws:") || url.hasPrefix("wss:") { url = "http" + url.dropFirst(2) }
    if leftAway > 0 { remark(.lost, "\(leftAway) messages that are neither text nor binary are left away") }
    remark(
      .changed, "how its WebSocket closed is not in the file: replayed, it stays open after its last message")
    // Random, and proven by the response: a replayed handshake has its own (RFC 6455 §4).
    requestFields.removeAll("sec-websocket-key")
    responseFields.removeAll("sec-websocket-accept")
    // Frames are replayed without extensions (RFC 6455 §9).
    requestFields.removeAll("sec-websocket-extensions")
    responseFields.removeAll("sec-websocket-extensions")
  }

  /// Refuses attempts that ended without a response: their status is 0 or -1, and browsers say why in a member of
  /// their own.
  private func refuseFailure(_ entry: JSONValue, _ response: JSONValue) throws(EntryRefusal) {
    guard status <= 0 else { return }
    let reason = [response["_error"], response["_failureText"], entry["_error"], response["comment"]]
      .compactMap { $0?.text }.first { !$0.isEmpty }
    throw EntryRefusal(
      "the request failed\(reason.map { " (\($0.prefix(80)))" } ?? ""), so there is no response")
  }

  // MARK: Bodies

  private mutating func fillRequestBody(_ request: JSONValue, _ source: ImportSource) throws(EntryRefusal) {
    let data = request["postData"] ?? .null
    let params = data["params"]?.array ?? []
    var body: [UInt8]? = []
    if let name = data["_file"]?.text {
      body = Self.untranscoded(try source.body(name), requestFields)
    } else if let bytes = data["text"]?.utf8Text, !bytes.isEmpty || params.isEmpty {
      body =
        Self.decoded(bytes, data["_encoding"] ?? data["encoding"])
        ?? transcoded(bytes, requestFields, [request["bodySize"]])
    } else {
      body = Self.formBody(params, type: data["mimeType"]?.text?.lowercased() ?? "")
    }
    requestBody = body ?? []
    if body == nil || requestBody.isEmpty && saysRequestHadBody(request) {
      remark(
        .lost,
        "the request's body is not in the file; only rules that leave bodies out match it, like --match "
          + "method,path,query")
    }
    // Some tools give the media type with the body only.
    guard !requestFields.contains("content-type"), !requestBody.isEmpty,
      let type = data["mimeType"]?.text, type.contains("/"), request["headers"]?.array?.isEmpty ?? true
    else { return }
    requestFields.append(literal: "Content-Type", type)
  }

  /// Whether the file says that there was a body: browsers leave out those that are binary or too large to show.
  private func saysRequestHadBody(_ request: JSONValue) -> Bool {
    if let length = requestFields.text("content-length") { return length != "0" }
    return (request["bodySize"]?.double ?? -1) > 0 && request["method"]?.text != "GET"
  }

  private mutating func fillResponseBody(_ response: JSONValue, _ source: ImportSource) throws(EntryRefusal) {
    let content = response["content"] ?? .null
    if let name = content["_file"]?.text {
      responseBody = Self.untranscoded(try source.body(name), responseFields)
    } else if let bytes = content["text"]?.utf8Text {
      if let pieces = Self.pollyBody(bytes, content["encoding"]) {
        (responseBody, coding) = (pieces, .exact)
      } else {
        responseBody =
          Self.decoded(bytes, content["encoding"])
          ?? transcoded(bytes, responseFields, [content["size"], response["bodySize"]])
      }
    } else if isResponseBodyMissing(response, content) {
      throw EntryRefusal("the response's body is not in the file, and an empty one would be wrong")
    }
  }

  /// Without any text, a response has an empty body only if something says so: browsers drop large and binary ones.
  private func isResponseBodyMissing(_ response: JSONValue, _ content: JSONValue) -> Bool {
    if BodyFraming.hasNoBody(status: status, method: HTTPMethod(rawValue: method)) { return false }
    // Browsers follow a redirect before its body comes, and nothing reads it.
    if (300..<400).contains(status) { return false }
    let size = content["size"]?.double ?? -1
    if size >= 0 { return size > 0 }
    if let length = responseFields.text("content-length") { return length != "0" }
    return (response["bodySize"]?.double ?? -1) > 0
  }

  /// The body of a form of which the file has only the parameters, encoded or decoded; `nil` for a multipart body, which
  /// cannot be rebuilt from its parts.
  private static func formBody(_ params: [JSONValue], type: String) -> [UInt8]? {
    guard !params.isEmpty else { return [] }
    guard type.isEmpty || type.hasPrefix("application/x-www-form-urlencoded") else { return nil }
    let pairs = params.map { ($0["name"]?.utf8Text ?? [], $0["value"]?.utf8Text ?? []) }
    let areEncoded = pairs.allSatisfy { FormEncoding.isEncoded($0.0) && FormEncoding.isEncoded($0.1) }
    return FormEncoding.joined(
      pairs.map { name, value in
        areEncoded ? name + [UInt8(ascii: "=")] + value : FormEncoding.pair(name, value)
      })
  }

  /// The bytes of base64; `nil` if it is not said to be base64, or is not although it is said to be.
  private static func decoded(_ text: [UInt8], _ encoding: JSONValue?) -> [UInt8]? {
    encoding?.text?.lowercased() == "base64" ? Base64.decodeTolerant(text) : nil
  }

  /// A body from a file of its own, where Playwright writes text as UTF-8 whatever its charset.
  private static func untranscoded(_ bytes: [UInt8], _ fields: HTTPFields) -> [UInt8] {
    guard UTF8Scan.isValid(bytes[...]) else { return bytes }
    return TextCharset.encode(bytes, as: fields) ?? bytes
  }

  /// Text as bytes: in the charset that `fields` name. Without one, some tools take every byte for a character; the
  /// length that the file gives for the body tells.
  private mutating func transcoded(
    _ text: [UInt8], _ fields: HTTPFields, _ sizes: [JSONValue?]
  ) -> [UInt8] {
    guard TextCharset.name(fields) == nil else {
      if let bytes = TextCharset.encode(text, as: fields) { return bytes }
      remark(
        .lost, "a body is UTF-8 now, since it cannot be put back into the charset that its Content-Type names"
      )
      return text
    }
    let sizes = sizes.compactMap { $0?.int } + [fields.text("content-length").flatMap { Int($0) } ?? -1]
    guard !sizes.contains(text.count), let bytes = TextCharset.latin1(text), sizes.contains(bytes.count)
    else { return text }
    return bytes
  }

  /// A compressed body as Polly.JS writes it, as the pieces it came in: the text is a JSON array of strings, each of them
  /// base64, in old versions hexadecimal. `nil` if the text is no such thing.
  private static func pollyBody(_ text: [UInt8], _ encoding: JSONValue?) -> [UInt8]? {
    guard encoding?.text?.lowercased() == "base64", text.first == UInt8(ascii: "["),
      let items = (try? JSONValue(parsing: text))?.array, !items.isEmpty
    else { return nil }
    let texts = items.compactMap(\.utf8Text)
    for decode in [hexadecimal, Base64.decodeTolerant] {
      let pieces = texts.compactMap(decode)
      if pieces.count == items.count { return Array(pieces.joined()) }
    }
    return nil
  }

  private static func hexadecimal(_ text: [UInt8]) -> [UInt8]? {
    let digits = text.compactMap(ASCII.hexValue)
    guard digits.count == text.count, digits.count % 2 == 0 else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
