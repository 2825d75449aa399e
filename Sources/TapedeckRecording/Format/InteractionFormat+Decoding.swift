package import TapedeckHTTP

extension InteractionFormat {
  /// The interaction that a tree describes, everything in it checked.
  /// - Parameter file: for messages.
  package static func decode(
    _ value: JSONValue, in file: String, loader: BodyLoader
  ) throws(CassetteError) -> Interaction {
    let members = try CassetteError.naming(file) { () throws(JSONProblem) in try Members(value) }
    let bodies = (
      request: try loader.body(members.requestBody, at: members.request.place.member("body"), in: file),
      response: try loader.body(members.responseBody, at: members.response.place.member("body"), in: file)
    )
    return try CassetteError.naming(file) { () throws(JSONProblem) in
      let facts = try decodeFacts(members.volatile, at: .document.member("volatile"))
      let (request, largeBody) = try decodeRequest(members.request, facts, body: bodies.request)
      let response = try decodeResponse(members.response, to: request.method, facts, body: bodies.response)
      var volatile = facts.volatile
      if volatile.chunkOffsetsMilliseconds?.count != response.chunkSizes?.count {
        volatile.chunkOffsetsMilliseconds = nil
      }
      return Interaction(
        request: request, largeRequestBody: largeBody, response: response, volatile: volatile)
    }
  }

  /// What an interaction consists of, its bodies as it names them.
  private struct Members {
    let request: StrictObject
    let response: StrictObject
    let volatile: JSONValue?
    let requestBody: BodyFormat.Decoded
    let responseBody: BodyFormat.Decoded

    init(_ value: JSONValue) throws(JSONProblem) {
      let object = try StrictObject(
        value, at: .document, known: ["request", "response", "volatile"], allowsOwn: true)
      request = try StrictObject(
        try object.required("request"), at: .document.member("request"),
        known: ["method", "target", "headers", "host", "body", "trailers"], allowsOwn: true)
      response = try StrictObject(
        try object.required("response"), at: .document.member("response"),
        known: [
          "interim", "version", "status", "reason", "headers", "body", "chunks", "trailers",
          "closeDelimited", "cut",
        ], allowsOwn: true)
      volatile = object["volatile"]
      requestBody = try BodyFormat.decode(request["body"], at: request.place.member("body"))
      responseBody = try BodyFormat.decode(response["body"], at: response.place.member("body"))
    }
  }

  private static func decodeRequest(
    _ object: StrictObject, _ facts: DecodedFacts, body: RecordedBody
  ) throws(JSONProblem) -> (HTTPRequest, BodyFile?) {
    let place = object.place
    let method = try decodeMethod(try object.required("method"), at: place.member("method"))
    let target = try decodeTarget(try object.required("target"), at: place.member("target"))
    var fields = try FieldsFormat.decode(
      try object.array("headers") ?? [], at: place.member("headers"), volatile: facts.requestFields)
    fields.removeHopByHop()
    correctLength(in: &fields, to: body.count)
    let host = try object["host"].map { value throws(JSONProblem) in
      try ByteString.decode(value, at: place.member("host"))
    }
    var request = HTTPRequest(
      method: method, target: target, fields: fields,
      authority: host ?? fields.first("host").map { Array($0) } ?? [])
    request.trailers = try FieldsFormat.decode(
      try object.array("trailers") ?? [], at: place.member("trailers"))
    switch body {
    case .bytes(let bytes):
      request.body = bytes
      return (request, nil)
    case .file(let file): return (request, file)
    }
  }

  private static func decodeMethod(_ value: JSONValue, at place: JSONPlace) throws(JSONProblem)
    -> HTTPMethod
  {
    guard let text = value.text, isToken(text) else { throw place.problem("a method is expected here") }
    return HTTPMethod(rawValue: text)
  }

  /// A method is made of the same characters as a field name (RFC 9110 §9.1).
  private static func isToken(_ text: String) -> Bool {
    var probe = HTTPFields()
    do throws(HTTPFieldError) { try probe.append(text, "") } catch { return false }
    return true
  }

  private static func decodeTarget(_ value: JSONValue, at place: JSONPlace) throws(JSONProblem) -> [UInt8] {
    let target = try ByteString.decode(value, at: place)
    guard target.allSatisfy(RequestTarget.isVisible),
      target.first == UInt8(ascii: "/") || target == [UInt8(ascii: "*")]
    else {
      throw place.problem("a target starts with `/` and holds no blanks or control characters")
    }
    return target
  }

  private static func decodeResponse(
    _ object: StrictObject, to method: HTTPMethod, _ facts: DecodedFacts, body: RecordedBody
  ) throws(JSONProblem) -> RecordedResponse {
    let place = object.place
    var head = try decodeHead(object, statuses: 100...999)
    head.fields = try FieldsFormat.decode(
      try object.array("headers") ?? [], at: place.member("headers"), date: facts.date,
      volatile: facts.responseFields)
    head.removeHopByHop()
    var response = RecordedResponse(head: head, body: body)
    if let chunks = try object.array("chunks") {
      response.chunkSizes = try ChunkSizes.decode(chunks, bodyBytes: body.count, at: place.member("chunks"))
    }
    response.trailers = try FieldsFormat.decode(
      try object.array("trailers") ?? [], at: place.member("trailers"))
    response.isCloseDelimited = try object.bool("closeDelimited") ?? false
    response.isCutByClient = try decodeCut(object)
    response.interim = try decodeInterim(object)
    if !BodyFraming.hasNoBody(status: head.status, method: method) {
      correctLength(
        in: &response.head.fields, to: response.isFramedByLength(to: method) ? body.count : nil)
    } else if head.fields.first("content-length")?.isEmpty == true {
      throw place.member("headers").problem("a `Content-Length` of null needs a body to tell what it is")
    }
    return response
  }

  private static func decodeCut(_ object: StrictObject) throws(JSONProblem) -> Bool {
    guard let text = try object.text("cut") else { return false }
    guard text == cutByClient else {
      throw object.place.member("cut").problem("`\(cutByClient)` is expected here")
    }
    return true
  }

  private static func decodeInterim(_ object: StrictObject) throws(JSONProblem) -> [HTTPResponseHead] {
    var heads: [HTTPResponseHead] = []
    for (index, value) in try (object.array("interim") ?? []).enumerated() {
      let place = object.place.member("interim").element(index)
      let object = try StrictObject(
        value, at: place, known: ["status", "reason", "headers"], allowsOwn: true)
      var head = try decodeHead(object, statuses: 102...199)
      head.fields = try FieldsFormat.decode(try object.array("headers") ?? [], at: place.member("headers"))
      head.removeHopByHop()
      heads.append(head)
    }
    return heads
  }

  private static func decodeHead(
    _ object: StrictObject, statuses: ClosedRange<Int>
  ) throws(JSONProblem) -> HTTPResponseHead {
    guard let version = HTTPVersion(rawValue: try object.text("version") ?? "HTTP/1.1") else {
      throw object.place.member("version").problem("HTTP/1.0 or HTTP/1.1 is expected here")
    }
    guard let status = try object.required("status").int, statuses.contains(status) else {
      throw object.place.member("status").problem(
        "a whole number from \(statuses.lowerBound) to \(statuses.upperBound) is expected here")
    }
    guard let written = object["reason"] else { return HTTPResponseHead(version: version, status: status) }
    let reason = try ByteString.decode(written, at: object.place.member("reason"))
    guard reason.allSatisfy({ $0 >= 0x20 ? $0 != 0x7F : $0 == 0x09 }) else {
      throw object.place.member("reason").problem("a reason phrase holds no control characters")
    }
    return HTTPResponseHead(version: version, status: status, reason: reason)
  }

  /// Makes the one `Content-Length` tell the truth, in its place; with nil there is none. The framing a file claims
  /// is never believed.
  package static func correctLength(in fields: inout HTTPFields, to bodyBytes: Int?) {
    guard let first = fields.index(of: "content-length") else { return }
    let length = bodyBytes.map { Array(String($0).utf8) }
    if let length, fields.index(of: "content-length", from: first + 1) == nil {
      if fields[first].value.elementsEqual(length) { return }
      do throws(HTTPFieldError) { try fields.replaceValue(at: first, with: length) } catch { return }
      return
    }
    var isKept = length != nil
    fields.removeAll { field in
      guard field.isNamed("content-length") else { return false }
      defer { isKept = false }
      return !isKept
    }
    correctLength(in: &fields, to: bodyBytes)
  }
}
