import TapedeckHTTP

/// An interaction as JSON, for the file of its own and for the journal. What is written depends only on the
/// interaction; everything that may differ between two recordings of one session is in the last member.
enum InteractionFormat {
  /// The interaction as a tree.
  /// - Parameter store: keeps a body that stands in no interaction and says where.
  static func encode(
    _ interaction: Interaction, store: ([UInt8]) throws(CassetteError) -> BodyFile
  ) throws(CassetteError) -> JSONValue {
    var facts = interaction.volatile
    if interaction.response.chunkSizes?.count ?? 0 > VolatileFacts.maximumChunkOffsets {
      facts.chunkOffsetsMilliseconds = nil
    }
    let date = FieldsFormat.volatileDate(interaction.response.head.fields)
    return [
      "request": try encodeRequest(interaction, store: store),
      "response": try encode(interaction.response, to: interaction.request.method, store: store),
      "volatile": encode(facts, date: date),
    ]
  }

  private static func encodeRequest(
    _ interaction: Interaction, store: ([UInt8]) throws(CassetteError) -> BodyFile
  ) throws(CassetteError) -> JSONValue {
    let request = interaction.request
    var fields = request.fields
    fields.removeHopByHop()
    let body = interaction.largeRequestBody.map { RecordedBody.file($0) } ?? .bytes(request.body)
    var members: [JSONMember] = [
      JSONMember("method", JSONValue(request.method.rawValue)),
      JSONMember("target", ByteString.encode(request.target[...])),
      JSONMember("headers", FieldsFormat.encode(fields, bodyBytes: body.count)),
    ]
    if let host = comparedHost(of: request) { members.append(JSONMember("host", ByteString.encode(host))) }
    if let body = try encode(body, fields: fields, store: store) { members.append(JSONMember("body", body)) }
    if !request.trailers.isEmpty {
      members.append(JSONMember("trailers", FieldsFormat.encode(request.trailers)))
    }
    return .object(members)
  }

  /// The host the client asked for; nil where the `Host` field says the same.
  private static func comparedHost(of request: HTTPRequest) -> ArraySlice<UInt8>? {
    guard !request.authority.isEmpty, request.fields.first("host")?.elementsEqual(request.authority) != true
    else { return nil }
    return RequestHost.compared(request.authority[...])[...]
  }

  private static func encode(
    _ response: RecordedResponse, to method: HTTPMethod, store: ([UInt8]) throws(CassetteError) -> BodyFile
  ) throws(CassetteError) -> JSONValue {
    var fields = response.head.fields
    fields.removeHopByHop()
    var members: [JSONMember] = [
      JSONMember("version", JSONValue(response.head.version.rawValue)),
      JSONMember("status", JSONValue(response.head.status)),
      JSONMember("reason", ByteString.encode(response.head.reason[...])),
      JSONMember(
        "headers",
        FieldsFormat.encode(
          fields, isDateVolatile: true,
          bodyBytes: response.isFramedByLength(to: method) ? response.body.count : nil)),
    ]
    if let body = try encode(response.body, fields: fields, store: store) {
      members.append(JSONMember("body", body))
    }
    if let sizes = response.chunkSizes {
      guard sizes.count <= CassetteLimits.chunks else {
        throw .overLimit(path: "an answer", problem: "more than \(CassetteLimits.chunks) chunks")
      }
      members.append(JSONMember("chunks", ChunkSizes.encode(sizes)))
    }
    if !response.trailers.isEmpty {
      members.append(JSONMember("trailers", FieldsFormat.encode(response.trailers)))
    }
    if response.isCloseDelimited { members.append(JSONMember("closeDelimited", true)) }
    return .object(members)
  }

  private static func encode(
    _ body: RecordedBody, fields: HTTPFields, store: ([UInt8]) throws(CassetteError) -> BodyFile
  ) throws(CassetteError) -> JSONValue? {
    switch body {
    case .file(let file): return BodyFormat.encode(file)
    case .bytes(let bytes):
      if bytes.isEmpty { return nil }
      if case .inside(let value) = BodyFormat.form(of: bytes, fields: fields) { return value }
      return BodyFormat.encode(try store(bytes))
    }
  }

  static func encode(_ facts: VolatileFacts, date: ArraySlice<UInt8>?) -> JSONValue {
    var members: [JSONMember] = []
    if let time = facts.recordedAtMilliseconds {
      members.append(JSONMember("recordedAt", JSONValue(Timestamp.text(time))))
    }
    if let date { members.append(JSONMember("date", ByteString.encode(date))) }
    if let duration = facts.durationMilliseconds.flatMap(JSONNumber.init(thousandths:)) {
      members.append(JSONMember("durationMilliseconds", .number(duration)))
    }
    if let address = facts.remoteAddress {
      members.append(JSONMember("remoteAddress", JSONValue(address)))
    }
    if let offsets = facts.chunkOffsetsMilliseconds {
      let numbers = offsets.compactMap { JSONNumber(thousandths: $0).map { JSONValue.number($0) } }
      members.append(JSONMember("chunkOffsetsMilliseconds", .array(numbers)))
    }
    return .object(members)
  }
}
