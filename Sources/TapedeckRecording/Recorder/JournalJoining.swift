import TapedeckHTTP

/// The messages of a WebSocket have lines of their own in the journal, each written before they were passed on:
/// `{"webSocket": {…}}` without a request, with the arrival of the handshake that they belong to.
extension JournalRecord {
  fileprivate static let webSocket = "webSocket"
  /// In the place of messages: the WebSocket is not recorded after all.
  private static let dropped = "dropped"

  fileprivate var concernsWebSocket: Bool { tree[Self.webSocket] != nil || isDrop }
  fileprivate var isDrop: Bool { tree[Self.dropped] != nil && tree["request"] == nil }
  fileprivate var isContinuation: Bool { concernsWebSocket && tree["request"] == nil }

  static func line(_ webSocket: RecordedWebSocket, arrival: Int) -> [UInt8] {
    line(arrival: arrival, base: 0) { out in
      out.member(Self.webSocket)
      InteractionFormat.write(webSocket, to: &out)
    }
  }

  static func dropLine(arrival: Int) -> [UInt8] {
    line(arrival: arrival, base: 0) { out in
      out.member(dropped)
      out.bool(true)
    }
  }
}

/// Puts the lines of each WebSocket together.
struct JournalJoining {
  private struct Joined {
    var entry: Journal.Entry
    var messages: [JSONValue]
    var close: JSONValue?
    var isDropped = false
  }

  private var joined: [Int: Joined] = [:]

  /// Returns whether the entry is one of a WebSocket, and kept.
  mutating func takes(_ entry: Journal.Entry) -> Bool {
    guard entry.record.concernsWebSocket else { return false }
    let (arrival, webSocket) = (entry.record.arrival, entry.record.tree[JournalRecord.webSocket])
    let messages = webSocket?["messages"]?.array ?? []
    guard entry.record.isContinuation else {
      joined[arrival] = Joined(entry: entry, messages: messages, close: webSocket?["close"])
      return true
    }
    joined[arrival]?.messages += messages
    if let close = webSocket?["close"] { joined[arrival]?.close = close }
    if entry.record.isDrop { joined[arrival]?.isDropped = true }
    return true
  }

  /// Each WebSocket with all that was said, in the order of the handshakes.
  var entries: [Journal.Entry] {
    joined.sorted { $0.key < $1.key }.filter { !$0.value.isDropped }.map { _, joined in
      var members = [JSONMember("messages", .array(joined.messages))]
      if let close = joined.close { members.append(JSONMember("close", close)) }
      var entry = joined.entry
      entry.record.tree = .object(
        (entry.record.tree.members ?? []).map { member in
          member.name.isEqual(to: JournalRecord.webSocket.utf8)
            ? JSONMember(member.name, .object(members)) : member
        })
      return entry
    }
  }
}

extension Sealer {
  private static let joinedName = "\(temporaryPrefix)joined.tmp"

  /// Replaces the journal by one in which each WebSocket is one line, as every other exchange is.
  /// - Returns: warnings about left-out lines, which are gone then; `nil` where there is nothing to join.
  mutating func joinMessages() throws(CassetteError) -> [String]? {
    var hasMessages = false
    _ = try Journal(reading: journal) { entry throws(CassetteError) in
      if entry.record.isContinuation { hasMessages = true }
    }
    guard hasMessages else { return nil }
    do throws(CassetteError) {
      let (file, warnings) = try joinedJournal()
      journal = file
      return warnings
    } catch {
      try? directory.remove(Self.joinedName)
      throw error
    }
  }

  private func joinedJournal() throws(CassetteError) -> (file: OpenFile, warnings: [String]) {
    let (old, directory) = (journal, directory)
    let file = try directory.openForAppending(Self.joinedName, as: CassetteNames.journal)
    guard try file.tryLock() else { throw .locked(directory: directory.path, pid: nil) }
    var lines = JournalLines(old)
    try file.write(Array(try lines.next()?.bytes ?? []) + [ASCII.lineFeed])
    let read = try Journal(reading: old, isJoining: true) { entry throws(CassetteError) in
      let isWhole = !entry.record.concernsWebSocket
      try file.write(
        isWhole ? try old.bytes(at: entry.offset, count: entry.count) + [ASCII.lineFeed] : entry.record.line)
    }
    if isDurable { try file.sync() }
    try directory.rename(Self.joinedName, to: CassetteNames.journal)
    return (file, read.warnings)
  }
}
