import TapedeckHTTP
import TapedeckRecording

/// The request of an entry, and what of it HAR cannot hold.
struct HARRequest {
  let value: JSONValue
  private(set) var own: [JSONMember] = []

  init(_ interaction: Interaction, origin: HAROrigin) throws(CassetteError) {
    let request = interaction.request
    let url = origin.url(of: request)
    if (try? SourceURL(url))?.target != request.target {
      own.append(JSONMember("target", ByteString.encode(request.target[...])))
    }
    if !request.trailers.isEmpty { own.append(JSONMember("trailers", HARFields.encode(request.trailers))) }
    let body = try HARBody.bytes(interaction.largeRequestBody.map { .file($0) } ?? .bytes(request.body))
    var members = [
      JSONMember("method", JSONValue(request.method.rawValue)), JSONMember("url", JSONValue(url)),
      JSONMember("httpVersion", JSONValue(request.version.rawValue)),
      JSONMember("cookies", HARCookies.sent(request.fields)),
      JSONMember("headers", HARFields.encode(request.fields)),
      JSONMember("queryString", Self.queryString(request)),
    ]
    if !body.isEmpty { members.append(JSONMember("postData", Self.postData(body, request.fields))) }
    members += [JSONMember("headersSize", -1), JSONMember("bodySize", JSONValue(body.count))]
    value = .object(members)
  }

  private static func queryString(_ request: HTTPRequest) -> JSONValue {
    .array(
      (request.query.map { FormPairs($0).pairs } ?? []).map { pair in
        ["name": JSONValue(HARBody.lossyText(pair.name)), "value": JSONValue(HARBody.lossyText(pair.value))]
      })
  }

  /// HAR has no encoding for bodies of requests, so it is in a field of our own.
  private static func postData(_ body: [UInt8], _ fields: HTTPFields) -> JSONValue {
    let type = JSONMember("mimeType", JSONValue(HARBody.mediaType(fields)))
    guard let text = HARBody.text(body) else {
      return .object([
        type, JSONMember("text", JSONValue(Base64.encode(body))), JSONMember("_encoding", "base64"),
      ])
    }
    return .object([type, JSONMember("text", text)])
  }
}
