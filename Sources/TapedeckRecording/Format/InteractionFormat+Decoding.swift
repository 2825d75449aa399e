package import TapedeckHTTP

extension InteractionFormat {
  /// The validated interaction that a tree describes.
  package static func decode(
    _ value: JSONValue, in file: String, loader: BodyLoader
  ) throws(CassetteError) -> Interaction {
    let (origin, request, response, volatile) = try CassetteError.naming(file) { () throws(JSONProblem) in
      try objects(value)
    }
    let requestBody = try loader.body(
      request[RequestMember.body], at: request.place.member(RequestMember.body), in: file)
    let responseBody = try loader.body(
      response[ResponseMember.body], at: response.place.member(ResponseMember.body), in: file)
    return try CassetteError.naming(file) { () throws(JSONProblem) in
      var facts = try volatile.map(self.facts) ?? VolatileFacts()
      let request = try self.request(request, of: origin, volatile, body: requestBody)
      var response = try self.response(response, to: request.method, volatile, body: responseBody)
      response.webSocket = try self.webSocket(value, of: response)
      if facts.chunkOffsetsMilliseconds?.count != response.chunkSizes?.count {
        facts.chunkOffsetsMilliseconds = nil
      }
      var interaction = Interaction(request: request, response: response, volatile: facts)
      if case .file(let file) = requestBody { interaction.largeRequestBody = file }
      return interaction
    }
  }

  private static func webSocket(
    _ value: JSONValue, of response: RecordedResponse
  ) throws(JSONProblem) -> RecordedWebSocket? {
    let place = JSONPlace.document.member(Member.webSocket)
    guard let webSocket = value[Member.webSocket.rawValue] else {
      guard response.head.status != 101 else {
        throw place.problem("a response with status 101 needs the messages after it")
      }
      return nil
    }
    guard response.head.status == 101 else { throw place.problem("it needs a response with status 101") }
    return try self.webSocket(webSocket, at: place)
  }

  private static func objects(
    _ value: JSONValue
  ) throws(JSONProblem) -> (
    origin: HTTPOrigin?, request: StrictObject, response: StrictObject, volatile: StrictObject?
  ) {
    let place = JSONPlace.document
    let object = try StrictObject(value, at: place, of: Member.self)
    return (
      try object[Member.origin].map { value throws(JSONProblem) in
        try origin(value, at: place.member(Member.origin))
      },
      try StrictObject(
        try object.required("request"), at: place.member(Member.request), of: RequestMember.self),
      try StrictObject(
        try object.required("response"), at: place.member(Member.response), of: ResponseMember.self),
      try object[Member.volatile].map { value throws(JSONProblem) in
        try StrictObject(value, at: place.member(Member.volatile), of: VolatileMember.self)
      }
    )
  }

  static func origin(_ value: JSONValue, at place: JSONPlace) throws(JSONProblem) -> HTTPOrigin {
    guard let origin = value.text.flatMap({ HTTPOrigin($0) }) else {
      throw place.problem("an origin like https://api.example.com is expected here, without user and path")
    }
    return origin
  }

  private static func request(
    _ object: StrictObject, of origin: HTTPOrigin?, _ volatile: StrictObject?, body: RecordedBody
  ) throws(JSONProblem) -> HTTPRequest {
    guard let method = object[RequestMember.method]?.text, HTTPMethod.isValid(method) else {
      throw object.place.member(RequestMember.method).problem("a method is expected here")
    }
    let target = Array(try bytes(object, RequestMember.target) ?? [])
    guard target.allSatisfy(RequestTarget.isVisible),
      target.first == UInt8(ascii: "/") || target == [UInt8(ascii: "*")]
    else {
      throw object.place.member(RequestMember.target).problem(
        "a target starts with `/` and holds no blanks or control characters")
    }
    var fields = try fields(
      object, RequestMember.headers, volatile: fields(volatile, VolatileMember.requestHeaders))
    fields.removeHopByHop()
    correctLength(in: &fields, to: body.count)
    let host = try bytes(object, RequestMember.host) ?? fields.first("host")
    var request = HTTPRequest(
      method: HTTPMethod(rawValue: method), target: target, fields: fields,
      authority: host.map { Array($0) } ?? [])
    if let origin {
      guard object[RequestMember.host] == nil else {
        throw object.place.member(RequestMember.host).problem("`host` makes no sense beside `origin`")
      }
      request.name(origin)
    }
    request.trailers = try self.fields(object, RequestMember.trailers)
    if case .bytes(let bytes) = body { request.body = bytes }
    return request
  }

  private static func response(
    _ object: StrictObject, to method: HTTPMethod, _ volatile: StrictObject?, body: RecordedBody
  ) throws(JSONProblem) -> RecordedResponse {
    var head = try head(object, statuses: 100...999)
    head.fields = try fields(
      object, ResponseMember.headers,
      date: try volatile.flatMap { volatile throws(JSONProblem) in try bytes(volatile, VolatileMember.date) },
      volatile: fields(volatile, VolatileMember.responseHeaders))
    head.removeHopByHop()
    var response = RecordedResponse(head: head, body: body)
    if let chunks = try object.array(ResponseMember.chunks.rawValue) {
      response.chunkSizes = try ChunkSizes.decode(
        chunks, bodyBytes: body.count, at: object.place.member(ResponseMember.chunks))
    }
    response.trailers = try fields(object, ResponseMember.trailers)
    response.isCloseDelimited = try object.bool(ResponseMember.closeDelimited.rawValue) ?? false
    if let cut = try object.text(ResponseMember.cut.rawValue) {
      guard cut == cutByClient else {
        throw object.place.member(ResponseMember.cut).problem("`\(cutByClient)` is expected here")
      }
      response.isCutByClient = true
    }
    response.interim = try interim(object)
    if !BodyFraming.hasNoBody(status: head.status, method: method) {
      correctLength(
        in: &response.head.fields, to: response.isFramedByLength(to: method) ? body.count : nil)
    } else if head.fields.first("content-length")?.isEmpty == true {
      throw object.place.member(ResponseMember.headers).problem(
        "a `Content-Length` of null needs a body to tell what it is")
    }
    return response
  }

  private static func interim(_ object: StrictObject) throws(JSONProblem) -> [HTTPResponseHead] {
    var heads: [HTTPResponseHead] = []
    for (index, value) in try (object.array(ResponseMember.interim.rawValue) ?? []).enumerated() {
      let place = object.place.member(ResponseMember.interim).element(index)
      let object = try StrictObject(
        value, at: place, known: interimMembers.map(\.rawValue), allowsOwn: true)
      _ = try object.required(ResponseMember.status.rawValue)
      var head = try head(object, statuses: 102...199)
      head.fields = try fields(object, ResponseMember.headers)
      head.removeHopByHop()
      heads.append(head)
    }
    return heads
  }

  private static func head(
    _ object: StrictObject, statuses: ClosedRange<Int>
  ) throws(JSONProblem) -> HTTPResponseHead {
    let version = try object.text(ResponseMember.version.rawValue) ?? HTTPVersion.http11.rawValue
    guard let version = HTTPVersion(rawValue: version) else {
      throw object.place.member(ResponseMember.version).problem("HTTP/1.0 or HTTP/1.1 is expected here")
    }
    guard let status = object[ResponseMember.status]?.int, statuses.contains(status) else {
      throw JSONProblem(object.place.member(ResponseMember.status), .expected(.wholeNumber(statuses)))
    }
    guard let reason = try bytes(object, ResponseMember.reason) else {
      return HTTPResponseHead(version: version, status: status)
    }
    guard reason.allSatisfy({ $0 >= 0x20 ? $0 != 0x7F : $0 == 0x09 }) else {
      throw object.place.member(ResponseMember.reason).problem(
        "a reason phrase holds no control characters")
    }
    return HTTPResponseHead(version: version, status: status, reason: Array(reason))
  }

  private static func bytes(
    _ object: StrictObject, _ member: some FormatMember
  ) throws(JSONProblem) -> ArraySlice<UInt8>? {
    try object[member].map { value throws(JSONProblem) in
      try ByteString.decode(value, at: object.place.member(member))
    }
  }

  private static func fields(
    _ object: StrictObject?, _ member: some FormatMember
  ) throws(JSONProblem) -> HTTPFields {
    try object.map { object throws(JSONProblem) in try fields(object, member) } ?? HTTPFields()
  }

  // MARK: Volatile facts

  private static func facts(_ object: StrictObject) throws(JSONProblem) -> VolatileFacts {
    var facts = VolatileFacts(remoteAddress: try object.text(VolatileMember.remoteAddress.rawValue))
    if let text = try object.text(VolatileMember.recordedAt.rawValue) {
      guard let time = Timestamp.microseconds(text) else {
        throw object.place.member(VolatileMember.recordedAt).problem(
          "a time like 2026-11-21T01:52:33.123456Z is expected here")
      }
      facts.recordedAtMicroseconds = time
    }
    if let value = object[VolatileMember.durationMilliseconds] {
      facts.durationMilliseconds = try milliseconds(
        value, at: object.place.member(VolatileMember.durationMilliseconds))
    }
    let offsets = VolatileMember.chunkOffsetsMilliseconds
    facts.chunkOffsetsMilliseconds = try object.array(offsets.rawValue).map { items throws(JSONProblem) in
      try items.enumerated().map { index, item throws(JSONProblem) in
        try milliseconds(item, at: object.place.member(offsets).element(index))
      }
    }
    return facts
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
