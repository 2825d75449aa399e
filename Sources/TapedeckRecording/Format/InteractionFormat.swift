package import TapedeckHTTP

/// An interaction as JSON, for the file of its own and for the journal. What is written depends only on the
/// interaction; everything that may differ between two recordings of one session is in the last member.
package enum InteractionFormat {
  /// The interaction as a tree.
  /// - Parameter store: keeps a body that stands in no interaction and says where.
  package static func encode(
    _ interaction: Interaction, store: ([UInt8]) throws(CassetteError) -> BodyFile
  ) throws(CassetteError) -> JSONValue {
    var out = JSONOutput()
    out.beginObject()
    try write(interaction, to: &out, store: store)
    out.endObject()
    return try tree(out)
  }

  /// The volatile facts as a tree.
  package static func encode(_ facts: VolatileFacts) throws(CassetteError) -> JSONValue {
    var out = JSONOutput()
    write(facts, fieldsOf: nil, to: &out)
    return try tree(out)
  }

  /// Interim responses as a tree.
  package static func encode(interim heads: [HTTPResponseHead]) throws(CassetteError) -> JSONValue {
    var out = JSONOutput()
    write(interim: heads, to: &out)
    return try tree(out)
  }

  private static func tree(_ out: JSONOutput) throws(CassetteError) -> JSONValue {
    try JSONFile.parse(out.bytes, file: "an exchange")
  }

  /// Writes the members of an interaction.
  static func write(
    _ interaction: Interaction, to out: inout JSONOutput,
    store: ([UInt8]) throws(CassetteError) -> BodyFile
  ) throws(CassetteError) {
    var facts = interaction.volatile
    if interaction.response.chunkSizes?.count ?? 0 > VolatileFacts.maximumChunkOffsets {
      facts.chunkOffsetsMilliseconds = nil
    }
    out.member("request")
    try writeRequest(interaction, to: &out, store: store)
    out.member("response")
    try write(interaction.response, to: interaction.request.method, &out, store: store)
    out.member("volatile")
    write(facts, fieldsOf: interaction, to: &out)
  }

  private static func writeRequest(
    _ interaction: Interaction, to out: inout JSONOutput,
    store: ([UInt8]) throws(CassetteError) -> BodyFile
  ) throws(CassetteError) {
    let request = interaction.request
    var fields = request.fields
    fields.removeHopByHop()
    let body = interaction.largeRequestBody.map { RecordedBody.file($0) } ?? .bytes(request.body)
    out.beginObject()
    out.member("method")
    out.string(request.method.rawValue)
    out.member("target")
    ByteString.write(request.target[...], to: &out)
    out.member("headers")
    FieldsFormat.write(fields, volatileIn: .request, bodyBytes: body.count, to: &out)
    if let host = comparedHost(of: request) {
      out.member("host")
      ByteString.write(host, to: &out)
    }
    try write(body, fields: fields, to: &out, store: store)
    writeTrailers(request.trailers, to: &out)
    out.endObject()
  }

  /// The host the client asked for; nil where the `Host` field says the same.
  private static func comparedHost(of request: HTTPRequest) -> ArraySlice<UInt8>? {
    guard !request.authority.isEmpty, request.fields.first("host")?.elementsEqual(request.authority) != true
    else { return nil }
    return request.comparedHost[...]
  }

  private static func write(
    _ response: RecordedResponse, to method: HTTPMethod, _ out: inout JSONOutput,
    store: ([UInt8]) throws(CassetteError) -> BodyFile
  ) throws(CassetteError) {
    var head = response.head
    head.removeHopByHop()
    let fields = head.fields
    out.beginObject()
    if !response.interim.isEmpty {
      out.member("interim")
      write(interim: response.interim, to: &out)
    }
    out.member("version")
    out.string(response.head.version.rawValue)
    out.member("status")
    out.number(response.head.status)
    out.member("reason")
    ByteString.write(response.head.reason[...], to: &out)
    out.member("headers")
    let length = response.isFramedByLength(to: method) ? response.body.count : nil
    FieldsFormat.write(fields, volatileIn: .response, bodyBytes: length, to: &out)
    try write(response.body, fields: fields, to: &out, store: store)
    if let sizes = response.chunkSizes {
      guard sizes.count <= CassetteLimits.chunks else {
        throw .overLimit(path: "an answer", problem: "more than \(CassetteLimits.chunks) chunks")
      }
      out.member("chunks")
      out.value(ChunkSizes.encode(sizes))
    }
    writeTrailers(response.trailers, to: &out)
    if response.isCloseDelimited {
      out.member("closeDelimited")
      out.bool(true)
    }
    if response.isCutByClient {
      out.member("cut")
      out.string(cutByClient)
    }
    out.endObject()
  }

  /// What `cut` says of a stream that the client left.
  package static let cutByClient = "client"

  private static func write(interim heads: [HTTPResponseHead], to out: inout JSONOutput) {
    out.beginArray()
    for head in heads {
      out.beginObject()
      out.member("status")
      out.number(head.status)
      if !head.reason.elementsEqual(HTTPStatus.reason(head.status).utf8) {
        out.member("reason")
        ByteString.write(head.reason[...], to: &out)
      }
      out.member("headers")
      FieldsFormat.write(head.fields, to: &out)
      out.endObject()
    }
    out.endArray()
  }

  private static func write(
    _ body: RecordedBody, fields: HTTPFields, to out: inout JSONOutput,
    store: ([UInt8]) throws(CassetteError) -> BodyFile
  ) throws(CassetteError) {
    guard body != .bytes([]) else { return }
    out.member("body")
    switch body {
    case .file(let file): BodyFormat.write(file, to: &out)
    case .bytes(let bytes):
      if !BodyFormat.write(bytes, fields: fields, to: &out) { BodyFormat.write(try store(bytes), to: &out) }
    }
  }

  private static func writeTrailers(_ trailers: HTTPFields, to out: inout JSONOutput) {
    guard !trailers.isEmpty else { return }
    out.member("trailers")
    FieldsFormat.write(trailers, to: &out)
  }

  /// - Parameter interaction: whose volatile fields stand here; nil where they stay in their places.
  private static func write(
    _ facts: VolatileFacts, fieldsOf interaction: Interaction?, to out: inout JSONOutput
  ) {
    let fields = interaction?.response.head.fields ?? HTTPFields()
    let date = FieldsFormat.dateIndex(in: fields)
    out.beginObject()
    if let time = facts.recordedAtMicroseconds {
      out.member("recordedAt")
      out.string(Timestamp.text(microseconds: time))
    }
    if let date {
      out.member("date")
      ByteString.write(fields.value(at: date), to: &out)
    }
    if let duration = facts.durationMilliseconds.flatMap(JSONNumber.scaled) {
      out.member("durationMilliseconds")
      out.number(thousandths: duration)
    }
    if let address = facts.remoteAddress {
      out.member("remoteAddress")
      out.string(address)
    }
    if let offsets = facts.chunkOffsetsMilliseconds {
      out.member("chunkOffsetsMilliseconds")
      out.beginArray()
      for offset in offsets.compactMap(JSONNumber.scaled) { out.number(thousandths: offset) }
      out.endArray()
    }
    if let interaction {
      write(VolatileFields.all(in: interaction.request.fields, .request), as: requestFields, to: &out)
      write(VolatileFields.all(in: fields, .response), as: responseFields, to: &out)
    }
    out.endObject()
  }

  static let requestFields: StaticString = "requestHeaders"
  static let responseFields: StaticString = "responseHeaders"

  private static func write(_ fields: HTTPFields, as member: StaticString, to out: inout JSONOutput) {
    guard !fields.isEmpty else { return }
    out.member(member)
    FieldsFormat.write(fields, to: &out)
  }
}
