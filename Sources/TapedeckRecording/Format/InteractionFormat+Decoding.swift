package import TapedeckHTTP

extension InteractionFormat {
  /// The interaction that a tree describes, everything in it checked.
  /// - Parameter file: for messages.
  package static func decode(
    _ value: JSONValue, in file: String, loader: BodyLoader
  ) throws(CassetteError) -> Interaction {
    let parts = try CassetteError.naming(file) { () throws(JSONProblem) in try Parts(value) }
    let bodies = (
      request: try loader.body(
        parts.requestBody, at: parts.request.place.member(RequestMember.body), in: file),
      response: try loader.body(
        parts.responseBody, at: parts.response.place.member(ResponseMember.body), in: file)
    )
    return try CassetteError.naming(file) { () throws(JSONProblem) in
      let facts = try parts.volatile.map(DecodedFacts.init) ?? DecodedFacts()
      let (request, largeBody) = try decodeRequest(parts.request, facts, body: bodies.request)
      let response = try decodeResponse(parts.response, to: request.method, facts, body: bodies.response)
      var volatile = facts.volatile
      if volatile.chunkOffsetsMilliseconds?.count != response.chunkSizes?.count {
        volatile.chunkOffsetsMilliseconds = nil
      }
      return Interaction(
        request: request, largeRequestBody: largeBody, response: response, volatile: volatile)
    }
  }

  /// The objects of an interaction, their names checked, and its bodies as they are written.
  private struct Parts {
    let request: StrictObject
    let response: StrictObject
    let volatile: StrictObject?
    let requestBody: BodyFormat.Decoded
    let responseBody: BodyFormat.Decoded

    init(_ value: JSONValue) throws(JSONProblem) {
      let place = JSONPlace.document
      let object = try StrictObject(value, at: place, of: Member.self)
      request = try StrictObject(
        try object.required("request"), at: place.member(Member.request), of: RequestMember.self)
      response = try StrictObject(
        try object.required("response"), at: place.member(Member.response), of: ResponseMember.self)
      volatile = try object[Member.volatile].map { value throws(JSONProblem) in
        try StrictObject(value, at: place.member(Member.volatile), of: VolatileMember.self)
      }
      requestBody = try BodyFormat.decode(
        request[RequestMember.body], at: request.place.member(RequestMember.body))
      responseBody = try BodyFormat.decode(
        response[ResponseMember.body], at: response.place.member(ResponseMember.body))
    }
  }

  // MARK: The request

  private static func decodeRequest(
    _ object: StrictObject, _ facts: DecodedFacts, body: RecordedBody
  ) throws(JSONProblem) -> (HTTPRequest, BodyFile?) {
    let method = try decodeMethod(object)
    let target = try decodeTarget(object)
    var fields = try decodeFields(object, RequestMember.headers, volatile: facts.requestFields)
    fields.removeHopByHop()
    correctLength(in: &fields, to: body.count)
    let host = try decodeBytes(object, RequestMember.host)
    var request = HTTPRequest(
      method: method, target: target, fields: fields,
      authority: host ?? fields.first("host").map { Array($0) } ?? [])
    request.trailers = try decodeFields(object, RequestMember.trailers)
    switch body {
    case .bytes(let bytes):
      request.body = bytes
      return (request, nil)
    case .file(let file): return (request, file)
    }
  }

  private static func decodeMethod(_ object: StrictObject) throws(JSONProblem) -> HTTPMethod {
    guard let text = object[RequestMember.method]?.text, HTTPMethod.isValid(text) else {
      throw object.place.member(RequestMember.method).problem("a method is expected here")
    }
    return HTTPMethod(rawValue: text)
  }

  private static func decodeTarget(_ object: StrictObject) throws(JSONProblem) -> [UInt8] {
    let target = try decodeBytes(object, RequestMember.target) ?? []
    guard target.allSatisfy(RequestTarget.isVisible),
      target.first == UInt8(ascii: "/") || target == [UInt8(ascii: "*")]
    else {
      throw object.place.member(RequestMember.target).problem(
        "a target starts with `/` and holds no blanks or control characters")
    }
    return target
  }

  // MARK: The response

  private static func decodeResponse(
    _ object: StrictObject, to method: HTTPMethod, _ facts: DecodedFacts, body: RecordedBody
  ) throws(JSONProblem) -> RecordedResponse {
    var head = try decodeHead(object, statuses: 100...999)
    head.fields = try decodeFields(
      object, ResponseMember.headers, date: facts.date, volatile: facts.responseFields)
    head.removeHopByHop()
    var response = RecordedResponse(head: head, body: body)
    if let chunks = try object.array(ResponseMember.chunks.rawValue) {
      response.chunkSizes = try ChunkSizes.decode(
        chunks, bodyBytes: body.count, at: object.place.member(ResponseMember.chunks))
    }
    response.trailers = try decodeFields(object, ResponseMember.trailers)
    response.isCloseDelimited = try object.bool(ResponseMember.closeDelimited.rawValue) ?? false
    response.isCutByClient = try decodeCut(object)
    response.interim = try decodeInterim(object)
    if !BodyFraming.hasNoBody(status: head.status, method: method) {
      correctLength(
        in: &response.head.fields, to: response.isFramedByLength(to: method) ? body.count : nil)
    } else if head.fields.first("content-length")?.isEmpty == true {
      throw object.place.member(ResponseMember.headers).problem(
        "a `Content-Length` of null needs a body to tell what it is")
    }
    return response
  }

  private static func decodeCut(_ object: StrictObject) throws(JSONProblem) -> Bool {
    guard let text = try object.text(ResponseMember.cut.rawValue) else { return false }
    guard text == cutByClient else {
      throw object.place.member(ResponseMember.cut).problem("`\(cutByClient)` is expected here")
    }
    return true
  }

  private static func decodeInterim(_ object: StrictObject) throws(JSONProblem) -> [HTTPResponseHead] {
    var heads: [HTTPResponseHead] = []
    for (index, value) in try (object.array(ResponseMember.interim.rawValue) ?? []).enumerated() {
      let place = object.place.member(ResponseMember.interim).element(index)
      let object = try StrictObject(value, at: place, of: InterimMember.self)
      var head = try decodeHead(object, statuses: 102...199)
      head.fields = try decodeFields(object, InterimMember.headers)
      head.removeHopByHop()
      heads.append(head)
    }
    return heads
  }

  /// The head without its fields.
  private static func decodeHead(
    _ object: StrictObject, statuses: ClosedRange<Int>
  ) throws(JSONProblem) -> HTTPResponseHead {
    let version = try object.text(ResponseMember.version.rawValue) ?? HTTPVersion.http11.rawValue
    guard let version = HTTPVersion(rawValue: version) else {
      throw object.place.member(ResponseMember.version).problem("HTTP/1.0 or HTTP/1.1 is expected here")
    }
    guard let status = object[ResponseMember.status]?.int, statuses.contains(status) else {
      throw JSONProblem(object.place.member(ResponseMember.status), .expected(.wholeNumber(statuses)))
    }
    guard let reason = try decodeBytes(object, ResponseMember.reason) else {
      return HTTPResponseHead(version: version, status: status)
    }
    guard reason.allSatisfy({ $0 >= 0x20 ? $0 != 0x7F : $0 == 0x09 }) else {
      throw object.place.member(ResponseMember.reason).problem(
        "a reason phrase holds no control characters")
    }
    return HTTPResponseHead(version: version, status: status, reason: reason)
  }

  // MARK: Either

  private static func decodeBytes(
    _ object: StrictObject, _ member: some FormatMember
  ) throws(JSONProblem) -> [UInt8]? {
    try object[member].map { value throws(JSONProblem) in
      try ByteString.decode(value, at: object.place.member(member))
    }
  }

  private static func decodeFields(
    _ object: StrictObject, _ member: some FormatMember, date: [UInt8]? = nil,
    volatile: HTTPFields = HTTPFields()
  ) throws(JSONProblem) -> HTTPFields {
    try FieldsFormat.decode(
      try object.array(member.rawValue) ?? [], at: object.place.member(member), date: date,
      volatile: volatile)
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

// MARK: - Volatile facts

extension InteractionFormat {
  private struct DecodedFacts {
    var volatile = VolatileFacts()
    /// The value of the response's only `Date`.
    var date: [UInt8]?
    var requestFields = HTTPFields()
    var responseFields = HTTPFields()

    init() {}

    init(_ object: StrictObject) throws(JSONProblem) {
      volatile = VolatileFacts(
        recordedAtMicroseconds: try decodeTime(object), durationMilliseconds: try decodeDuration(object),
        remoteAddress: try object.text(VolatileMember.remoteAddress.rawValue),
        chunkOffsetsMilliseconds: try decodeOffsets(object))
      date = try decodeBytes(object, VolatileMember.date)
      requestFields = try decodeFields(object, VolatileMember.requestHeaders)
      responseFields = try decodeFields(object, VolatileMember.responseHeaders)
    }
  }

  private static func decodeTime(_ object: StrictObject) throws(JSONProblem) -> Int? {
    guard let text = try object.text(VolatileMember.recordedAt.rawValue) else { return nil }
    guard let time = Timestamp.microseconds(text) else {
      throw object.place.member(VolatileMember.recordedAt).problem(
        "a time like 2026-11-21T01:52:33.123456Z is expected here")
    }
    return time
  }

  private static func decodeDuration(_ object: StrictObject) throws(JSONProblem) -> Double? {
    try object[VolatileMember.durationMilliseconds].map { value throws(JSONProblem) in
      try milliseconds(value, at: object.place.member(VolatileMember.durationMilliseconds))
    }
  }

  private static func decodeOffsets(_ object: StrictObject) throws(JSONProblem) -> [Double]? {
    let member = VolatileMember.chunkOffsetsMilliseconds
    guard let items = try object.array(member.rawValue) else { return nil }
    var offsets: [Double] = []
    offsets.reserveCapacity(items.count)
    for (index, item) in items.enumerated() {
      offsets.append(try milliseconds(item, at: object.place.member(member).element(index)))
    }
    return offsets
  }

  private static func milliseconds(
    _ value: JSONValue, at place: @autoclosure () -> JSONPlace
  ) throws(JSONProblem) -> Double {
    guard let number = value.double, VolatileFacts.milliseconds.contains(number) else {
      throw place().problem("a number of milliseconds is expected here")
    }
    return number
  }
}
