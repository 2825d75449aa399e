internal import TapedeckHTTP
internal import TapedeckProxy

/// One exchange as the inspector shows it, with the recording that was replayed or the near misses.
extension RequestLogEntry {
  /// A longer body is named as a file.
  private static let maximumCurlBodyBytes = 16 * 1024

  func inspected(_ proxy: ProxyServer, _ session: Session) -> JSONValue {
    let (request, shown, response) = proxy.shownMessages(self, of: session)
    var members =
      summary(target: request.targetText) + [
        JSONMember("id", JSONValue(id)),
        JSONMember("session", session.name.map { JSONValue($0) } ?? .null),
        JSONMember("request", shown.json), JSONMember("response", response.json),
        JSONMember("decisions", steps), JSONMember("curl", JSONValue(Self.curl(request))),
      ]
    if let said = proxy.shownWebSocket(self, of: session) {
      members.append(JSONMember("webSocket", said.json))
    }
    if let miss = decisions.miss { members.append(JSONMember("miss", miss.inspected)) }
    if let replay = decisions.replay {
      members.append(JSONMember("recording", Self.recording(replay, proxy, session)))
    }
    return .object(members)
  }

  private static func curl(_ request: HTTPRequest) -> String {
    let authority = String(decoding: request.authority, as: UTF8.self)
    return CurlCommand(
      request, base: "\(request.scheme.rawValue)://\(authority)",
      bodyFile: request.body.count > maximumCurlBodyBytes ? "BODY" : nil,
      fields: { !$0.isNamed("connection") }
    ).text
  }

  private static func recording(
    _ replay: Decision.Replay, _ proxy: ProxyServer, _ session: Session
  ) -> JSONValue {
    var members = [
      JSONMember("file", JSONValue(replay.file)), JSONMember("turn", JSONValue(replay.turn)),
      JSONMember("turns", JSONValue(replay.turns)),
      JSONMember("drift", .array(replay.drift.map { JSONValue($0) })),
    ]
    if let substitution = replay.substitution {
      members.append(JSONMember("substitution", JSONValue(substitution.rawValue)))
    }
    do {
      if let found = try proxy.recording(replay.file, of: session) { members += found.members }
    } catch {
      members.append(JSONMember("problem", JSONValue("\(error)")))
    }
    return .object(members)
  }
}

extension ShownInteraction {
  fileprivate var members: [JSONMember] {
    [
      JSONMember("status", JSONValue(status)), JSONMember("request", request.json),
      JSONMember("response", response.json),
    ] + (webSocket.map { [JSONMember("webSocket", $0.json)] } ?? [])
  }

  var json: JSONValue {
    .object([JSONMember("file", JSONValue(file)), JSONMember("line", JSONValue(line))] + members)
  }
}

extension ShownMessage {
  var json: JSONValue {
    let headers: [JSONValue] = fields.map { field in
      .array([field.name, field.value].map { JSONValue(String(decoding: $0, as: UTF8.self)) })
    }
    var members = [
      JSONMember("headers", .array(headers)), JSONMember("bodyBytes", JSONValue(bodyBytes)),
      JSONMember("isCut", JSONValue(isCut)),
    ]
    if let coding { members.append(JSONMember("coding", JSONValue(coding))) }
    if let content { members.append(content) }
    if !chunks.isEmpty {
      let list = chunks.map { chunk -> JSONValue in
        ["bytes": JSONValue(chunk.bytes), "milliseconds": JSONValue(chunk.milliseconds)]
      }
      members.append(JSONMember("chunks", .array(list)))
    }
    return .object(members)
  }

  /// Text as text, though its end may be cut within a character; anything else in base64.
  private var content: JSONMember? {
    guard !body.isEmpty else { return nil }
    let longestCharacterBytes = 4
    for dropped in 0..<(isCut ? longestCharacterBytes : 1) where UTF8Scan.isValid(body.dropLast(dropped)) {
      return JSONMember("text", JSONValue(String(decoding: body.dropLast(dropped), as: UTF8.self)))
    }
    return JSONMember("base64", JSONValue(Base64.encode(body)))
  }
}

extension Miss {
  fileprivate var inspected: JSONValue {
    let nearest = nearest.map { near -> JSONValue in
      let differences = near.differences.map { difference -> JSONValue in
        var members = [
          JSONMember("field", JSONValue(difference.field)),
          JSONMember("recorded", difference.recorded.map { JSONValue($0) } ?? .null),
          JSONMember("received", difference.received.map { JSONValue($0) } ?? .null),
        ]
        if let word = difference.ignoredBy { members.append(JSONMember("ignoredBy", JSONValue(word))) }
        return .object(members)
      }
      return [
        "file": JSONValue(near.file), "request": JSONValue(near.request),
        "differences": .array(differences),
      ]
    }
    return .object(
      [JSONMember("detail", JSONValue(detail)), JSONMember("nearest", .array(nearest))]
        + explanation.filter { $0.name.text != "nearest" })
  }
}
