package import TapedeckHTTP

extension InteractionFormat {
  /// Keeps a body that does not fit into the interaction and says where.
  package typealias BodyStore = ([UInt8]) throws(CassetteError) -> BodyFile

  /// The interaction as a tree.
  package static func encode(_ interaction: Interaction, store: BodyStore) throws(CassetteError) -> JSONValue
  {
    try tree { out throws(CassetteError) in
      out.beginObject()
      try write(interaction, to: &out, store: store)
      out.endObject()
    }
  }

  /// The volatile facts as a tree.
  package static func encode(_ facts: VolatileFacts) throws(CassetteError) -> JSONValue {
    try tree { write(facts, fieldsOf: nil, to: &$0) }
  }

  /// Interim responses as a tree.
  package static func encode(interim heads: [HTTPResponseHead]) throws(CassetteError) -> JSONValue {
    try tree { write(interim: heads, to: &$0) }
  }

  private static func tree(
    _ write: (inout JSONOutput) throws(CassetteError) -> Void
  ) throws(CassetteError) -> JSONValue {
    var out = JSONOutput()
    try write(&out)
    return try JSONFile.parse(out.bytes, file: "an exchange")
  }

  /// Writes the members of an interaction.
  static func write(
    _ interaction: Interaction, to out: inout JSONOutput, store: BodyStore
  ) throws(CassetteError) {
    var facts = interaction.volatile
    if interaction.response.chunkSizes?.count ?? 0 > VolatileFacts.maximumChunkOffsets {
      facts.chunkOffsetsMilliseconds = nil
    }
    for member in Member.all {
      out.member(member)
      switch member {
      case .request: try writeRequest(interaction, to: &out, store: store)
      case .response: try write(interaction.response, to: interaction.request.method, &out, store: store)
      case .volatile: write(facts, fieldsOf: interaction, to: &out)
      }
    }
  }

  private static func writeRequest(
    _ interaction: Interaction, to out: inout JSONOutput, store: BodyStore
  ) throws(CassetteError) {
    let request = interaction.request
    var fields = request.fields
    fields.removeHopByHop()
    let body = interaction.largeRequestBody.map { RecordedBody.file($0) } ?? .bytes(request.body)
    out.beginObject()
    for member in RequestMember.all {
      switch member {
      case .method:
        out.member(member)
        out.string(request.method.rawValue)
      case .target:
        out.member(member)
        ByteString.write(request.target[...], to: &out)
      case .headers:
        out.member(member)
        FieldsFormat.write(fields, volatileIn: .request, bodyBytes: body.count, to: &out)
      case .host:
        guard let host = comparedHost(of: request) else { continue }
        out.member(member)
        ByteString.write(host, to: &out)
      case .body:
        guard body != .bytes([]) else { continue }
        out.member(member)
        try write(body, fields: fields, to: &out, store: store)
      case .trailers: write(fields: request.trailers, as: member, to: &out)
      }
    }
    out.endObject()
  }

  /// The host the client asked for; nil where the `Host` field says the same.
  private static func comparedHost(of request: HTTPRequest) -> ArraySlice<UInt8>? {
    guard !request.authority.isEmpty, request.fields.first("host")?.elementsEqual(request.authority) != true
    else { return nil }
    return request.comparedHost[...]
  }

  private static func write(
    _ response: RecordedResponse, to method: HTTPMethod, _ out: inout JSONOutput, store: BodyStore
  ) throws(CassetteError) {
    var head = response.head
    head.removeHopByHop()
    out.beginObject()
    for member in ResponseMember.all {
      switch member {
      case .interim:
        guard !response.interim.isEmpty else { continue }
        out.member(member)
        write(interim: response.interim, to: &out)
      case .version:
        out.member(member)
        out.string(response.head.version.rawValue)
      case .status:
        out.member(member)
        out.number(response.head.status)
      case .reason:
        out.member(member)
        ByteString.write(response.head.reason[...], to: &out)
      case .headers:
        out.member(member)
        let length = response.isFramedByLength(to: method) ? response.body.count : nil
        FieldsFormat.write(head.fields, volatileIn: .response, bodyBytes: length, to: &out)
      case .body:
        guard response.body != .bytes([]) else { continue }
        out.member(member)
        try write(response.body, fields: head.fields, to: &out, store: store)
      case .chunks:
        guard let sizes = response.chunkSizes else { continue }
        guard sizes.count <= CassetteLimits.chunks else {
          throw .overLimit(path: "a response", problem: "more than \(CassetteLimits.chunks) chunks")
        }
        out.member(member)
        out.value(ChunkSizes.encode(sizes))
      case .trailers: write(fields: response.trailers, as: member, to: &out)
      case .closeDelimited:
        guard response.isCloseDelimited else { continue }
        out.member(member)
        out.bool(true)
      case .cut:
        guard response.isCutByClient else { continue }
        out.member(member)
        out.string(cutByClient)
      }
    }
    out.endObject()
  }

  private static func write(interim heads: [HTTPResponseHead], to out: inout JSONOutput) {
    out.beginArray()
    for head in heads {
      out.beginObject()
      for member in InterimMember.all {
        switch member {
        case .status:
          out.member(member)
          out.number(head.status)
        case .reason:
          if head.reason.elementsEqual(HTTPStatus.reason(head.status).utf8) { continue }
          out.member(member)
          ByteString.write(head.reason[...], to: &out)
        case .headers:
          out.member(member)
          FieldsFormat.write(head.fields, to: &out)
        }
      }
      out.endObject()
    }
    out.endArray()
  }

  private static func write(
    _ body: RecordedBody, fields: HTTPFields, to out: inout JSONOutput, store: BodyStore
  ) throws(CassetteError) {
    switch body {
    case .file(let file): BodyFormat.write(file, to: &out)
    case .bytes(let bytes):
      if !BodyFormat.write(bytes, fields: fields, to: &out) { BodyFormat.write(try store(bytes), to: &out) }
    }
  }

  private static func write(fields: HTTPFields, as member: some FormatMember, to out: inout JSONOutput) {
    guard !fields.isEmpty else { return }
    out.member(member)
    FieldsFormat.write(fields, to: &out)
  }

  /// - Parameter interaction: whose volatile fields stand here; nil where they stay in their places.
  private static func write(
    _ facts: VolatileFacts, fieldsOf interaction: Interaction?, to out: inout JSONOutput
  ) {
    let fields = interaction?.response.head.fields ?? HTTPFields()
    out.beginObject()
    for member in VolatileMember.all {
      switch member {
      case .recordedAt:
        guard let time = facts.recordedAtMicroseconds else { continue }
        out.member(member)
        out.string(Timestamp.text(microseconds: time))
      case .date:
        guard let date = FieldsFormat.dateIndex(in: fields) else { continue }
        out.member(member)
        ByteString.write(fields.value(at: date), to: &out)
      case .durationMilliseconds:
        guard let duration = facts.durationMilliseconds.flatMap(JSONNumber.scaled) else { continue }
        out.member(member)
        out.number(thousandths: duration)
      case .remoteAddress:
        guard let address = facts.remoteAddress else { continue }
        out.member(member)
        out.string(address)
      case .chunkOffsetsMilliseconds:
        guard let offsets = facts.chunkOffsetsMilliseconds else { continue }
        out.member(member)
        out.beginArray()
        for offset in offsets.compactMap(JSONNumber.scaled) { out.number(thousandths: offset) }
        out.endArray()
      case .requestHeaders:
        guard let interaction else { continue }
        write(fields: VolatileFields.all(in: interaction.request.fields, .request), as: member, to: &out)
      case .responseHeaders:
        write(fields: VolatileFields.all(in: fields, .response), as: member, to: &out)
      }
    }
    out.endObject()
  }
}
