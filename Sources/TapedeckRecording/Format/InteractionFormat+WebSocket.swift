package import TapedeckHTTP

/// `webSocket`, as `{"messages": [{"from": "client", "text": "…", "atMilliseconds": 12.5}], "close": {…}}`.
extension InteractionFormat {
  enum WebSocketMember: String, FormatMember {
    case messages, close

    static let all = allCases
  }

  enum MessageMember: String, FormatMember {
    case from, text, base64, atMilliseconds

    static let all = allCases
    static let required: Set<MessageMember> = [.from]
  }

  enum CloseMember: String, FormatMember {
    case from, code, reason

    static let all = allCases
    static let required: Set<CloseMember> = [.from]
  }

  // MARK: Writing

  static func write(_ webSocket: RecordedWebSocket, to out: inout JSONOutput) {
    out.beginObject()
    out.member(WebSocketMember.messages)
    out.beginArray()
    for message in webSocket.messages { write(message, to: &out) }
    out.endArray()
    if let close = webSocket.close {
      out.member(WebSocketMember.close)
      out.beginObject()
      out.member(CloseMember.from, text: name(close.from))
      if let code = close.code { out.member(CloseMember.code, number: code) }
      if !close.reason.isEmpty { out.member(CloseMember.reason, bytes: close.reason[...]) }
      out.endObject()
    }
    out.endObject()
  }

  private static func write(_ message: RecordedWebSocket.Message, to out: inout JSONOutput) {
    out.beginObject()
    out.member(MessageMember.from, text: name(message.from))
    if message.isText {
      out.member(MessageMember.text, bytes: message.bytes[...])
    } else {
      out.member(MessageMember.base64, text: Base64.encode(message.bytes))
    }
    if let at = JSONNumber.scaled(thousandths: message.atMilliseconds) {
      out.member(MessageMember.atMilliseconds)
      out.number(thousandths: at)
    }
    out.endObject()
  }

  package static func name(_ side: WebSocketReader.Side) -> String {
    switch side {
    case .client: "client"
    case .server: "server"
    }
  }

  // MARK: Reading

  static func webSocket(_ value: JSONValue, at place: JSONPlace) throws(JSONProblem) -> RecordedWebSocket {
    let object = try StrictObject(value, at: place, of: WebSocketMember.self)
    var webSocket = RecordedWebSocket()
    for (index, item) in try (object.array(WebSocketMember.messages.rawValue) ?? []).enumerated() {
      webSocket.messages.append(
        try message(item, at: place.member(WebSocketMember.messages).element(index)))
    }
    if let close = object[WebSocketMember.close] {
      webSocket.close = try self.close(close, at: place.member(WebSocketMember.close))
    }
    return webSocket
  }

  private static func message(
    _ value: JSONValue, at place: JSONPlace
  ) throws(JSONProblem) -> RecordedWebSocket.Message {
    let object = try StrictObject(value, at: place, of: MessageMember.self)
    let text = object[MessageMember.text]
    let base64 = object[MessageMember.base64]
    guard (text == nil) != (base64 == nil) else {
      throw place.problem("a message holds either `text` or `base64`")
    }
    var bytes: [UInt8] = []
    if let text { bytes = Array(try ByteString.decode(text, at: place.member(MessageMember.text))) }
    if let base64 { bytes = try ByteString.decodeBase64(base64, at: place.member(MessageMember.base64)) }
    return RecordedWebSocket.Message(
      from: try side(object, MessageMember.from), isText: text != nil, bytes: bytes,
      atMilliseconds: try object.number(
        MessageMember.atMilliseconds.rawValue, in: VolatileFacts.milliseconds) ?? 0)
  }

  private static func close(
    _ value: JSONValue, at place: JSONPlace
  ) throws(JSONProblem) -> RecordedWebSocket.Close {
    let object = try StrictObject(value, at: place, of: CloseMember.self)
    let reason = try object[CloseMember.reason].map { value throws(JSONProblem) in
      Array(try ByteString.decode(value, at: place.member(CloseMember.reason)))
    }
    return RecordedWebSocket.Close(
      from: try side(object, CloseMember.from),
      code: try object.int(CloseMember.code.rawValue, in: 1000...4999), reason: reason ?? [])
  }

  private static func side(
    _ object: StrictObject, _ member: some FormatMember
  ) throws(JSONProblem) -> WebSocketReader.Side {
    switch try object.text(member.rawValue) {
    case "client": .client
    case "server": .server
    default: throw object.place.member(member).problem("`client` or `server` is expected here")
    }
  }
}
