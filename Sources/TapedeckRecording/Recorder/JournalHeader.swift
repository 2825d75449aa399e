import TapedeckHTTP
package import TapedeckRedaction

/// The first line of a journal: its writer's process, and how to seal it if that process does not. The last
/// member is the beginning of the SHA-256 of everything before it.
package struct JournalHeader {
  /// Version 2 adds `rewrite` and `severalOrigins`, and is written only with one of them.
  static let currentVersion = 2

  var pid: Int
  /// Whether its interactions replace those with the same key instead of following them.
  var isReplacing: Bool
  package var origins: CassetteOrigins
  /// The match rules, if they differ from the cassette's.
  var rules: MatchRules?
  /// The redaction; `nil` in older journals, which do not store it.
  package var redaction: Redaction?
  /// The rewrite rules, if they differ from the cassette's.
  var rewriting: RewriteRules?
  /// How clients reach several origins; `nil` as in the cassette.
  package var upstreams: RecordedUpstreams?
  /// Whether it must not be sealed while it contains secrets.
  var refusesSecrets = false
}

extension JournalHeader {
  package init?(of file: OpenFile) throws(CassetteError) {
    var lines = JournalLines(file)
    guard let line = try lines.next() else { return nil }
    try self.init(line.bytes, file: file.path)
  }

  init?(_ line: ArraySlice<UInt8>, file: String) throws(CassetteError) {
    guard let value = try? JSONValue(parsing: Array(line)), let version = value["tapedeck-journal"]?.int,
      let pid = value["pid"]?.int
    else { return nil }
    guard version <= Self.currentVersion else { throw .newerFormat(file: file, version: version) }
    guard line.elementsEqual(Self.checksummed(Array(line.dropLast(Self.checksumBytes)))) else { return nil }
    self.init(
      pid: pid, isReplacing: value["replacing"]?.bool ?? false,
      origins: value["severalOrigins"]?.bool == true ? .several : .one(value["upstream"]?.text),
      refusesSecrets: value["refusesSecrets"]?.bool ?? false)
    if let match = value["match"]?.array {
      rules = try? MatchSpec(match.map { $0.text ?? "" }).rules()
      guard rules != nil else { return nil }
    }
    (redaction, rewriting) = try CassetteError.naming(file) { () throws(JSONProblem) in
      try CassetteManifest.policies(value["redaction"], value["rewrite"])
    }
    upstreams = try CassetteError.naming(file) { () throws(JSONProblem) in
      let object = try StrictObject(value, at: .document)
      return try RecordedUpstreams.isIn(object) ? RecordedUpstreams(object) : nil
    }
  }

  var line: [UInt8] {
    var members: [JSONMember] = [
      JSONMember(
        "tapedeck-journal", JSONValue(rewriting == nil && origins != .several ? 1 : Self.currentVersion)),
      JSONMember("pid", JSONValue(pid)),
      JSONMember("replacing", .bool(isReplacing)),
    ]
    if origins == .several { members.append(JSONMember("severalOrigins", true)) }
    members += upstreams?.journalMembers ?? []
    members += CassetteManifest.members(origins.upstream, rules, redaction, rewriting)
    if refusesSecrets { members.append(JSONMember("refusesSecrets", true)) }
    return Self.checksummed(JSONValue.object(members).bytes().dropLast()) + [UInt8(ascii: "\n")]
  }

  private static let checksumBytes = #","sha256":"0123456789abcdef"}"#.utf8.count

  private static func checksummed(_ bytes: [UInt8]) -> [UInt8] {
    bytes + #","sha256":"\#(SHA256Digest(of: bytes).hex.prefix(16))"}"#.utf8
  }
}
