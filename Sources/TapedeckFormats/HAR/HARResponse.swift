import TapedeckHTTP
import TapedeckRecording
import TapedeckRedaction

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
    let content = Self.content(body, head.fields, &own)
    if let sizes = response.chunkSizes { own.append(JSONMember("chunks", ChunkSizes.encode(sizes))) }
    if !response.trailers.isEmpty { own.append(JSONMember("trailers", HARFields.encode(response.trailers))) }
    if response.isCloseDelimited { own.append(JSONMember("closeDelimited", true)) }
    if response.isCutByClient { own.append(JSONMember("cut", JSONValue(InteractionFormat.cutByClient))) }
    if !response.interim.isEmpty {
      own.append(JSONMember("interim", try InteractionFormat.encode(interim: response.interim)))
    }
    value = [
      "status": JSONValue(head.status), "statusText": JSONValue(HARBody.lossyText(head.reason)),
      "httpVersion": JSONValue(head.version.rawValue), "cookies": HARCookies.set(head.fields),
      "headers": HARFields.encode(head.fields), "content": content,
      "redirectURL": JSONValue(head.fields.text("location") ?? ""), "headersSize": -1,
      "bodySize": JSONValue(body.count),
    ]
  }

  /// HAR wants the content without its coding; ours is kept beside it as it came.
  private static func content(_ body: [UInt8], _ fields: HTTPFields, _ own: inout [JSONMember]) -> JSONValue {
    guard let opened = RecordedBody.bytes(body).opened(fields) else {
      let isEncoded = !BodyCoding.names(fields).isEmpty && HARBody.text(body) == nil && !body.isEmpty
      let remark = JSONMember("comment", "still encoded as Content-Encoding says")
      return .object(members(body, fields) + (isEncoded ? [remark] : []))
    }
    own.append(JSONMember("body", ByteString.base64(body)))
    let saved = JSONMember("compression", JSONValue(opened.content.count - body.count))
    return .object(members(opened.content, fields) + [saved])
  }

  private static func members(_ content: [UInt8], _ fields: HTTPFields) -> [JSONMember] {
    let members = [
      JSONMember("size", JSONValue(content.count)),
      JSONMember("mimeType", JSONValue(HARBody.mediaType(fields))),
    ]
    guard !content.isEmpty else { return members }
    if let text = HARBody.text(content) { return members + [JSONMember("text", text)] }
    return members + [
      JSONMember("text", JSONValue(Base64.encode(content))), JSONMember("encoding", "base64"),
    ]
  }
}
