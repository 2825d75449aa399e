import TapedeckHTTP
import TapedeckRecording
import TapedeckRedaction

/// The messages of an entry, each with what of it HAR cannot hold.
extension HARWriter {
  typealias Message = (value: JSONValue, own: [JSONMember])

  func request(_ interaction: Interaction) throws(CassetteError) -> Message {
    var own: [JSONMember] = []
    let request = interaction.request
    let url = origin.url(of: request)
    if (try? SourceURL(url))?.target != request.target {
      own.append(JSONMember("target", ByteString.encode(request.target[...])))
    }
    if !request.trailers.isEmpty { own.append(JSONMember("trailers", HARFields.encode(request.trailers))) }
    let body = try interaction.requestBody.allBytes()
    var members = [
      JSONMember("method", JSONValue(request.method.rawValue)), JSONMember("url", JSONValue(url)),
      JSONMember("httpVersion", JSONValue(request.version.rawValue)),
      JSONMember("cookies", HARCookies.sent(request.fields)),
      JSONMember("headers", HARFields.encode(request.fields)),
      JSONMember("queryString", Self.queryString(request)),
    ]
    if !body.isEmpty { members.append(JSONMember("postData", Self.postData(body, request.fields))) }
    members += [JSONMember("headersSize", -1), JSONMember("bodySize", JSONValue(body.count))]
    return (.object(members), own)
  }

  private static func queryString(_ request: HTTPRequest) -> JSONValue {
    .array(
      (request.query.map { FormPairs($0).pairs } ?? []).map { pair in
        [
          "name": JSONValue(String(decoding: pair.name, as: UTF8.self)),
          "value": JSONValue(String(decoding: pair.value, as: UTF8.self)),
        ]
      })
  }

  /// HAR has no encoding for bodies of requests, so it is in a field of our own.
  private static func postData(_ body: [UInt8], _ fields: HTTPFields) -> JSONValue {
    let type = JSONMember("mimeType", JSONValue(fields.text("content-type") ?? ""))
    guard let text = JSONValue(ifText: body) else {
      return .object([
        type, JSONMember("text", JSONValue(Base64.encode(body))), JSONMember("_encoding", "base64"),
      ])
    }
    return .object([type, JSONMember("text", text)])
  }

  func response(_ interaction: Interaction) throws(CassetteError) -> Message {
    var own: [JSONMember] = []
    let response = interaction.response
    let head = response.head
    if !UTF8Scan.isValid(head.reason[...]) {
      own.append(JSONMember("reason", ByteString.encode(head.reason[...])))
    }
    let body = try response.body.allBytes()
    let content = Self.content(body, head.fields, &own)
    if let sizes = response.chunkSizes { own.append(JSONMember("chunks", ChunkSizes.encode(sizes))) }
    if !response.trailers.isEmpty { own.append(JSONMember("trailers", HARFields.encode(response.trailers))) }
    if response.isCloseDelimited { own.append(JSONMember("closeDelimited", true)) }
    if response.isCutByClient { own.append(JSONMember("cut", JSONValue(InteractionFormat.cutByClient))) }
    if !response.interim.isEmpty {
      own.append(JSONMember("interim", try InteractionFormat.encode(interim: response.interim)))
    }
    let value: JSONValue = [
      "status": JSONValue(head.status), "statusText": JSONValue(String(decoding: head.reason, as: UTF8.self)),
      "httpVersion": JSONValue(head.version.rawValue), "cookies": HARCookies.set(head.fields),
      "headers": HARFields.encode(head.fields), "content": content,
      "redirectURL": JSONValue(head.fields.text("location") ?? ""), "headersSize": -1,
      "bodySize": JSONValue(body.count),
    ]
    return (value, own)
  }

  /// HAR wants the content without its coding; ours is kept beside it as it came.
  private static func content(_ body: [UInt8], _ fields: HTTPFields, _ own: inout [JSONMember]) -> JSONValue {
    guard let opened = RecordedBody.bytes(body).opened(fields) else {
      let isEncoded = !BodyCoding.names(fields).isEmpty && JSONValue(ifText: body) == nil && !body.isEmpty
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
      JSONMember("mimeType", JSONValue(fields.text("content-type") ?? "")),
    ]
    guard !content.isEmpty else { return members }
    if let text = JSONValue(ifText: content) { return members + [JSONMember("text", text)] }
    return members + [
      JSONMember("text", JSONValue(Base64.encode(content))), JSONMember("encoding", "base64"),
    ]
  }
}
