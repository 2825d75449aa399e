internal import TapedeckHTTP
internal import TapedeckProxy

/// The messages of a WebSocket, in the words of a cassette.
extension ShownWebSocket {
  var json: JSONValue {
    var members = [
      JSONMember("isOpen", JSONValue(isOpen)), JSONMember("omittedBefore", JSONValue(omittedBefore)),
      JSONMember("omittedAfter", JSONValue(omittedAfter)),
      JSONMember("messages", .array(messages.map(\.json))),
    ]
    if let close { members.append(JSONMember("close", close.json)) }
    if let problem { members.append(JSONMember("problem", JSONValue(problem))) }
    return .object(members)
  }

  static func name(_ side: WebSocketReader.Side) -> String {
    side == .client ? "client" : "server"
  }
}

extension ShownWebSocket.Message {
  fileprivate var json: JSONValue {
    let content =
      isText
      ? JSONMember("text", JSONValue(String(decoding: held, as: UTF8.self)))
      : JSONMember("base64", JSONValue(Base64.encode(held)))
    return .object([
      JSONMember("from", JSONValue(ShownWebSocket.name(from))), content,
      JSONMember("bytes", JSONValue(bytes)), JSONMember("isCut", JSONValue(isCut)),
      JSONMember("atMilliseconds", JSONValue(atMilliseconds)),
    ])
  }
}

extension ShownWebSocket.Close {
  fileprivate var json: JSONValue {
    var members = [JSONMember("from", JSONValue(ShownWebSocket.name(from)))]
    if let code { members.append(JSONMember("code", JSONValue(code))) }
    if !reason.isEmpty {
      members.append(JSONMember("reason", JSONValue(String(decoding: reason, as: UTF8.self))))
    }
    return .object(members)
  }
}
