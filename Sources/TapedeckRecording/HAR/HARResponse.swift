import TapedeckHTTP

/// The response of an entry, and what of it HAR cannot hold.
struct HARResponse {
  let value: JSONValue
  private(set) var own: [JSONMember] = []

  init(_ interaction: Interaction) throws(CassetteError) {
    let response = interaction.response
    let head = response.head
    if !UTF8Scan.isValid(head.reason[...]) {
      own.append(JSONMember("reason", ByteString.encode(head.reason[...])))
    }
    let body = try HARBody.bytes(response.body)
    let content = Self.content(body, head.fields, own: &own)
    if let sizes = response.chunkSizes { own.append(JSONMember("chunks", ChunkSizes.encode(sizes))) }
    if !response.trailers.isEmpty { own.append(JSONMember("trailers", HARFields.encode(response.trailers))) }
    if response.isCloseDelimited { own.append(JSONMember("closeDelimited", true)) }
    value = [
      "status": JSONValue(head.status), "statusText": JSONValue(HARBody.lossyText(head.reason)),
      "httpVersion": JSONValue(head.version.rawValue), "cookies": HARCookies.set(head.fields),
      "headers": HARFields.encode(head.fields), "content": content,
      "redirectURL": JSONValue(head.fields.text("location") ?? ""), "headersSize": -1,
      "bodySize": JSONValue(body.count),
    ]
  }

  private static func content(_ body: [UInt8], _ fields: HTTPFields, own: inout [JSONMember]) -> JSONValue {
    var members = [
      JSONMember("size", JSONValue(body.count)), JSONMember("mimeType", JSONValue(HARBody.mediaType(fields))),
    ]
    guard !body.isEmpty else { return .object(members) }
    if let text = HARBody.text(body) { return .object(members + [JSONMember("text", text)]) }
    members += [JSONMember("text", JSONValue(Base64.encode(body))), JSONMember("encoding", "base64")]
    if !ContentCoding.names(fields).isEmpty {
      members.append(JSONMember("comment", "still encoded as Content-Encoding says"))
    }
    return .object(members)
  }
}
