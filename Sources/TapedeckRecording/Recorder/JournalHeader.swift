import TapedeckHTTP

/// The first line of a journal: who writes it, and how it is to be sealed should that process not come to it.
struct JournalHeader {
  static let currentVersion = 1

  var pid: Int
  /// Whether its recordings replace those of the same key, instead of following them.
  var isReplacing: Bool
  var upstream: String?

  init(pid: Int, isReplacing: Bool, upstream: String?) {
    self.pid = pid
    self.isReplacing = isReplacing
    self.upstream = upstream
  }

  /// Nil when the line is no header.
  init?(_ line: ArraySlice<UInt8>, file: String) throws(CassetteError) {
    guard let value = try? JSONValue(parsing: Array(line)), let version = value["tapedeck-journal"]?.int,
      let pid = value["pid"]?.int
    else { return nil }
    guard version <= Self.currentVersion else { throw .newerFormat(file: file, version: version) }
    self.init(pid: pid, isReplacing: value["replacing"]?.bool ?? false, upstream: value["upstream"]?.text)
  }

  var line: [UInt8] {
    var members: [JSONMember] = [
      JSONMember("tapedeck-journal", JSONValue(Self.currentVersion)),
      JSONMember("pid", JSONValue(pid)),
      JSONMember("replacing", .bool(isReplacing)),
    ]
    if let upstream { members.append(JSONMember("upstream", JSONValue(upstream))) }
    return JSONValue.object(members).bytes(JSONStyle(.compact, endsWithNewline: true))
  }
}
