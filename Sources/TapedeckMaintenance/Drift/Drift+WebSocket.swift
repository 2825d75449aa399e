import TapedeckHTTP
import TapedeckRecording

extension Drift {
  /// Compares the shape of what the server says over a WebSocket with that of every recorded one of the same request.
  ///
  /// Messages are compared by kind, since their number and order may depend on the time. Only kinds that the first
  /// recording has can be missed, because its client is the one that was repeated.
  static func webSocketDrifts(_ recorded: [RecordedWebSocket], _ live: RecordedWebSocket?) -> [Drift] {
    guard let live, let first = recorded.first else { return [] }
    let (expected, known, now) = (MessageShapes([first]), MessageShapes(recorded), MessageShapes([live]))
    let removed = expected.names.filter { now.kinds[$0] == nil }.map { name in
      Drift(.messageRemoved, .breaking, at: name, recorded: known.kinds[name]?.text, live: nil)
    }
    let changed = now.names.flatMap { name -> [Drift] in
      guard let new = now.kinds[name] else { return [] }
      guard let old = known.kinds[name] else {
        return [Drift(.messageAdded, .info, at: name, recorded: nil, live: new.text)]
      }
      return old.drifts(to: new, at: name)
    }
    return removed + changed + closeDrift(recorded.map(\.close), live.close)
  }

  private static func closeDrift(
    _ recorded: [RecordedWebSocket.Close?], _ live: RecordedWebSocket.Close?
  ) -> [Drift] {
    let known = recorded.map(text)
    let now = text(live)
    guard !known.contains(now) else { return [] }
    // A server that ends what it kept open leaves its clients alone.
    let isSudden = live != nil && known.allSatisfy { $0 == nil }
    let old = known.compactMap { $0 }
    return [
      Drift(
        .closeChanged, isSudden ? .breaking : .notable, at: "close",
        recorded: old.isEmpty ? nil : old.joined(separator: " or "), live: now)
    ]
  }

  /// How a server closed, without its reason; `nil` if it did not.
  private static func text(_ close: RecordedWebSocket.Close?) -> String? {
    guard let close, close.from == .server else { return nil }
    return close.code.map { "\($0)" } ?? "without a code"
  }
}

/// The shapes of a server's messages, by kind: JSON that names its kind, and other messages by the message of the client
/// that they follow.
private struct MessageShapes {
  struct Kind {
    var shape = JSONShape()
    /// JSON, text, binary.
    var forms: Set<String> = []

    var text: String { forms.sorted().joined(separator: " or ") }

    func drifts(to live: Kind, at name: String) -> [Drift] {
      guard live.forms.isSubset(of: forms) else {
        let severity: Drift.Severity = forms == ["JSON"] ? .breaking : .notable
        return [Drift(.bodyChanged, severity, at: name, recorded: text, live: live.text)]
      }
      return live.shape.count == 0 ? [] : shape.drifts(to: live.shape, at: "\(name) $")
    }
  }

  /// Members that protocols name their messages by: graphql-transport-ws, Slack, OpenAI, JSON-RPC, exchanges.
  private static let discriminators = ["type", "event", "method", "op", "kind"]

  /// In the order in which they came.
  private(set) var names: [String] = []
  private(set) var kinds: [String: Kind] = [:]

  init(_ webSockets: [RecordedWebSocket]) {
    for webSocket in webSockets {
      var said = 0
      for message in webSocket.messages {
        if message.from == .client { said += 1 } else { add(message, after: said) }
      }
    }
  }

  private mutating func add(_ message: RecordedWebSocket.Message, after said: Int) {
    let json = message.isText ? Self.document(message.bytes) : nil
    let word = Self.discriminators.lazy.compactMap { json?[$0]?.text }.first
    let name =
      word.map { "message \($0.debugDescription)" }
      ?? (said == 0 ? "first messages" : "messages after the client's message \(said)")
    if kinds[name] == nil { names.append(name) }
    if let json { kinds[name, default: Kind()].shape.add(json) }
    kinds[name, default: Kind()].forms.insert(json != nil ? "JSON" : message.isText ? "text" : "binary")
  }

  /// A text that is an object or an array.
  private static func document(_ bytes: [UInt8]) -> JSONValue? {
    guard let value = try? JSONValue(parsing: bytes), value.members != nil || value.array != nil else {
      return nil
    }
    return value
  }
}
