import TapedeckHTTP
import TapedeckRecording

/// The messages of a WebSocket as Chromium writes them into a HAR: `_webSocketMessages`, each with its direction, when it
/// was (in seconds since 1970), its opcode, and its data, which is base64 where it is binary.
enum HARWebSocket {
  static let name = "_webSocketMessages"

  static func encode(_ interaction: Interaction) -> JSONValue? {
    guard let webSocket = interaction.response.webSocket else { return nil }
    let facts = interaction.volatile
    let start = Double(facts.recordedAtMilliseconds ?? 0) - (facts.durationMilliseconds ?? 0)
    return .array(
      webSocket.messages.map { message in
        let data =
          message.isText ? String(decoding: message.bytes, as: UTF8.self) : Base64.encode(message.bytes)
        let milliseconds = Int((start + message.atMilliseconds).rounded())
        return [
          "type": message.from == .client ? "send" : "receive",
          "time": JSONValue(Double(milliseconds) / 1000), "opcode": message.isText ? 1 : 2,
          "data": JSONValue(data),
        ]
      })
  }

  /// What of a WebSocket Chromium's members cannot hold: when each message was, exactly, and how it closed.
  static func encodeOwn(_ webSocket: RecordedWebSocket?) -> JSONValue? {
    guard let webSocket else { return nil }
    return .object(of: [
      "atMilliseconds": .array(webSocket.messages.map { JSONValue($0.atMilliseconds) }),
      "close": webSocket.close.map { close in
        .object(of: [
          "from": JSONValue(InteractionFormat.name(close.from)), "code": close.code.map { JSONValue($0) },
          "reason": close.reason.isEmpty ? JSONValue?.none : ByteString.encode(close.reason[...]),
        ])
      },
    ])
  }

  /// The member `webSocket` of an interaction file.
  static func tree(_ messages: JSONValue?, _ own: JSONValue?) -> JSONValue? {
    guard let items = messages?.array else { return nil }
    let times = own?["atMilliseconds"]?.array ?? []
    let trees = items.enumerated().map { index, item -> JSONValue in
      .object(of: [
        "from": item["type"]?.text == "send" ? "client" : "server",
        item["opcode"]?.int == 2 ? "base64" : "text": item["data"] ?? "",
        "atMilliseconds": index < times.count ? times[index] : JSONValue?.none,
      ])
    }
    return .object(of: ["messages": .array(trees), "close": own?["close"]])
  }

  /// The messages of another tool.
  /// - Parameters:
  ///   - start: when the request was sent, in milliseconds since 1970; by default when the first message was.
  /// - Returns: the messages, and how many were left away, which are neither text nor binary.
  static func decode(
    _ messages: [JSONValue], start: Int?
  ) throws(EntryRefusal) -> (webSocket: RecordedWebSocket, leftAway: Int) {
    var webSocket = RecordedWebSocket()
    var leftAway = 0
    let start = start.map(Double.init) ?? (messages.first?["time"]?.double ?? 0) * 1000
    var latest = 0.0
    for (index, message) in messages.enumerated() {
      let side: WebSocketReader.Side
      switch message["type"]?.text {
      case "send": side = .client
      case "receive": side = .server
      default: throw EntryRefusal("message \(index + 1) of its WebSocket says neither send nor receive")
      }
      let data = message["data"]?.utf8Text ?? []
      let opcode = message["opcode"]?.double ?? 1
      guard opcode == 1 || opcode == 2 else {
        leftAway += 1
        continue
      }
      guard let bytes = opcode == 1 ? data : Base64.decodeTolerant(data) else {
        throw EntryRefusal("message \(index + 1) of its WebSocket is said to be base64 and is not")
      }
      let at = (message["time"]?.double ?? 0) * 1000 - start
      // Rounded as journals are, and in the order of the file.
      if VolatileFacts.milliseconds.contains(at) { latest = max(latest, (at * 1000).rounded() / 1000) }
      webSocket.messages.append(
        .init(from: side, isText: opcode == 1, bytes: bytes, atMilliseconds: latest))
    }
    return (webSocket, leftAway)
  }
}
