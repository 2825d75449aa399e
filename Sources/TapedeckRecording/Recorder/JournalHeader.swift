import TapedeckHTTP
package import TapedeckRedaction

/// The first line of a journal: which process writes it, and how to seal it if that process does not. Its last
/// member is the beginning of the SHA-256 of all before it.
package struct JournalHeader {
  /// Version 2 adds `rewrite`, and is written only with it.
  static let currentVersion = 2

  var pid: Int
  /// Whether its recordings replace those of the same key, instead of following them.
  var isReplacing: Bool
  var upstream: String?
  /// The match rules, where they differ from the cassette's.
  var rules: MatchRules?
  /// What is redacted; nil in journals written before they could say so.
  package var redaction: Redaction?
  /// The rewrite rules, where they differ from the cassette's.
  var rewriting: RewriteRules?
  /// Whether it must not be sealed while there are secrets in it.
  var refusesSecrets = false

  init(
    pid: Int, isReplacing: Bool, upstream: String?, rules: MatchRules? = nil, redaction: Redaction? = nil,
    rewriting: RewriteRules? = nil, refusesSecrets: Bool = false
  ) {
    self.pid = pid
    self.isReplacing = isReplacing
    self.upstream = upstream
    self.rules = rules
    self.redaction = redaction
    self.rewriting = rewriting
    self.refusesSecrets = refusesSecrets
  }

  /// The header of a journal; nil where it has none.
  package init?(of file: OpenFile) throws(CassetteError) {
    var lines = JournalLines(file)
    guard let line = try lines.next() else { return nil }
    try self.init(line.bytes, file: file.path)
  }

  /// Nil when the line is no header.
  init?(_ line: ArraySlice<UInt8>, file: String) throws(CassetteError) {
    guard let value = try? JSONValue(parsing: Array(line)), let version = value["tapedeck-journal"]?.int,
      let pid = value["pid"]?.int
    else { return nil }
    guard version <= Self.currentVersion else { throw .newerFormat(file: file, version: version) }
    guard line.elementsEqual(Self.checksummed(Array(line.dropLast(Self.checksumBytes)))) else { return nil }
    self.init(
      pid: pid, isReplacing: value["replacing"]?.bool ?? false, upstream: value["upstream"]?.text,
      refusesSecrets: value["refusesSecrets"]?.bool ?? false)
    if let match = value["match"]?.array {
      rules = try? MatchSpec(match.map { $0.text ?? "" }).rules()
      guard rules != nil else { return nil }
    }
    do throws(JSONProblem) {
      if let value = value["redaction"] {
        redaction = try RedactionFormat.decode(value, at: .document.member("redaction"))
      }
      if let value = value["rewrite"] {
        rewriting = try RewriteFormat.decode(value, at: .document.member("rewrite"))
      }
    } catch {
      throw CassetteError(error, in: file)
    }
  }

  var line: [UInt8] {
    var members: [JSONMember] = [
      JSONMember("tapedeck-journal", JSONValue(rewriting == nil ? 1 : Self.currentVersion)),
      JSONMember("pid", JSONValue(pid)),
      JSONMember("replacing", .bool(isReplacing)),
    ]
    if let upstream { members.append(JSONMember("upstream", JSONValue(upstream))) }
    if let rules { members.append(JSONMember("match", .array(rules.items.map { JSONValue($0) }))) }
    if let redaction { members.append(JSONMember("redaction", RedactionFormat.encode(redaction))) }
    if let rewriting { members.append(JSONMember("rewrite", RewriteFormat.encode(rewriting))) }
    if refusesSecrets { members.append(JSONMember("refusesSecrets", true)) }
    return Self.checksummed(JSONValue.object(members).bytes().dropLast()) + [UInt8(ascii: "\n")]
  }

  private static let checksumBytes = #","sha256":"0123456789abcdef"}"#.utf8.count

  private static func checksummed(_ bytes: [UInt8]) -> [UInt8] {
    bytes + #","sha256":"\#(SHA256Digest(of: bytes).hex.prefix(16))"}"#.utf8
  }
}
