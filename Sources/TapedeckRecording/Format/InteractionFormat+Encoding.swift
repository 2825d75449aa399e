package import TapedeckHTTP

extension InteractionFormat {
  /// Stores a body that does not fit into the interaction, and returns its file.
  package typealias BodyStore = ([UInt8]) throws(CassetteError) -> BodyFile

  package static func encode(_ interaction: Interaction, store: BodyStore) throws(CassetteError) -> JSONValue
  {
    try tree { out throws(CassetteError) in
      out.beginObject()
      try write(interaction, to: &out, store: store)
      out.endObject()
    }
  }

  package static func encode(_ facts: VolatileFacts) throws(CassetteError) -> JSONValue {
    try tree { write(facts, to: &$0) }
  }

  package static func encode(interim heads: [HTTPResponseHead]) throws(CassetteError) -> JSONValue {
    try tree { write(interim: heads, to: &$0) }
  }

  private static func tree(
    _ write: (inout JSONOutput) throws(CassetteError) -> Void
  ) throws(CassetteError) -> JSONValue {
    var out = JSONOutput()
    try write(&out)
    return try JSONFile.parse(out.finish(), file: "an exchange")
  }

  static func write(
    _ interaction: Interaction, to out: inout JSONOutput, store: BodyStore
  ) throws(CassetteError) {
    var facts = interaction.volatile
    if interaction.response.chunkSizes?.count ?? 0 > VolatileFacts.maximumChunkOffsets {
      facts.chunkOffsetsMilliseconds = nil
    }
    for member in Member.all {
      switch member {
      case .origin:
        if let origin = interaction.origin { out.member(member, text: "\(origin)") }
      case .request:
        out.member(member)
        try writeRequest(interaction, to: &out, store: store)
      case .response:
        out.member(member)
        try write(interaction.response, to: interaction.request.method, &out, store: store)
      case .webSocket:
        guard let webSocket = interaction.response.webSocket else { continue }
        out.member(member)
        write(webSocket, to: &out)
      case .volatile:
        out.member(member)
        write(facts, interaction.request.fields, interaction.response.head.fields, to: &out)
      }
    }
  }

  private static func writeRequest(
    _ interaction: Interaction, to out: inout JSONOutput, store: BodyStore
  ) throws(CassetteError) {
    var fields = interaction.request.fields
    fields.removeHopByHop()
    let body = interaction.largeRequestBody.map { RecordedBody.file($0) } ?? .bytes(interaction.request.body)
    out.beginObject()
    for member in RequestMember.all {
      switch member {
      case .method: out.member(member, text: interaction.request.method.rawValue)
      case .target: out.member(member, bytes: interaction.request.target[...])
      case .headers:
        out.member(member)
        write(fields, volatileIn: .request, bodyBytes: body.count, to: &out)
      // Only if the `Host` field differs.
      case .host
      where !interaction.request.namesOrigin && !interaction.request.authority.isEmpty
        && interaction.request.fields.first("host")?.elementsEqual(interaction.request.authority) != true:
        out.member(member, bytes: interaction.request.comparedHost[...])
      case .body where body != .bytes([]):
        out.member(member)
        try BodyFormat.write(body, fields: fields, to: &out, store: store)
      case .trailers: write(fields: interaction.request.trailers, as: member, to: &out)
      case .host, .body: break
      }
    }
    out.endObject()
  }

  private static func write(
    _ response: RecordedResponse, to method: HTTPMethod, _ out: inout JSONOutput, store: BodyStore
  ) throws(CassetteError) {
    var head = response.head
    head.removeHopByHop()
    out.beginObject()
    for member in ResponseMember.all {
      switch member {
      case .interim where !response.interim.isEmpty:
        out.member(member)
        write(interim: response.interim, to: &out)
      case .version: out.member(member, text: head.version.rawValue)
      case .status: out.member(member, number: head.status)
      case .reason: out.member(member, bytes: head.reason[...])
      case .headers:
        out.member(member)
        let length = response.isFramedByLength(to: method) ? response.body.count : nil
        write(head.fields, volatileIn: .response, bodyBytes: length, to: &out)
      case .body where response.body != .bytes([]):
        out.member(member)
        try BodyFormat.write(response.body, fields: head.fields, to: &out, store: store)
      case .chunks:
        guard let sizes = response.chunkSizes else { continue }
        guard sizes.count <= CassetteLimits.chunks else {
          throw .overLimit(path: "a response", problem: "more than \(CassetteLimits.chunks) chunks")
        }
        out.member(member)
        out.value(ChunkSizes.encode(sizes))
      case .trailers: write(fields: response.trailers, as: member, to: &out)
      case .closeDelimited where response.isCloseDelimited:
        out.member(member)
        out.bool(true)
      case .cut where response.isCutByClient: out.member(member, text: cutByClient)
      case .interim, .body, .closeDelimited, .cut: break
      }
    }
    out.endObject()
  }

  private static func write(interim heads: [HTTPResponseHead], to out: inout JSONOutput) {
    out.beginArray()
    for head in heads {
      out.beginObject()
      out.member(ResponseMember.status, number: head.status)
      if !head.reason.elementsEqual(HTTPStatus.reason(head.status).utf8) {
        out.member(ResponseMember.reason, bytes: head.reason[...])
      }
      out.member(ResponseMember.headers)
      write(head.fields, to: &out)
      out.endObject()
    }
    out.endArray()
  }

  private static func write(fields: HTTPFields, as member: some FormatMember, to out: inout JSONOutput) {
    guard !fields.isEmpty else { return }
    out.member(member)
    write(fields, to: &out)
  }

  /// - Parameters: the fields of request and response, of which the volatile ones are written.
  private static func write(
    _ facts: VolatileFacts, _ request: HTTPFields = HTTPFields(), _ response: HTTPFields = HTTPFields(),
    to out: inout JSONOutput
  ) {
    out.beginObject()
    for member in VolatileMember.all {
      switch member {
      case .recordedAt:
        guard let time = facts.recordedAtMicroseconds else { continue }
        out.member(member)
        Timestamp.withBytes(microseconds: time) { _ = out.string(utf8: $0) }
      case .date:
        guard let date = response.onlyIndex(of: "date") else { continue }
        out.member(member, bytes: response.value(at: date))
      case .durationMilliseconds:
        guard let duration = facts.durationMilliseconds.flatMap(JSONNumber.scaled) else { continue }
        out.member(member)
        out.number(thousandths: duration)
      case .remoteAddress:
        guard let address = facts.remoteAddress else { continue }
        out.member(member, text: address)
      case .chunkOffsetsMilliseconds:
        guard let offsets = facts.chunkOffsetsMilliseconds else { continue }
        out.member(member)
        out.beginArray()
        for offset in offsets.compactMap(JSONNumber.scaled) { out.number(thousandths: offset) }
        out.endArray()
      case .requestHeaders:
        write(fields: VolatileFields.all(in: request, .request), as: member, to: &out)
      case .responseHeaders:
        write(fields: VolatileFields.all(in: response, .response), as: member, to: &out)
      }
    }
    out.endObject()
  }
}
