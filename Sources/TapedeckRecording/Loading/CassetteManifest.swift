package import TapedeckHTTP
package import TapedeckRedaction

/// The contents of `cassette.json`: what holds for the whole cassette.
package struct CassetteManifest: Equatable {
  /// The newest format version this program reads. Version 2 adds members to version 1, which is written as long as
  /// none of them is needed (`InteractionFormat.version`).
  static let newestVersion = 2

  /// The format version of the interactions.
  package var formatVersion = 1
  package var upstream: String?
  package var rules = MatchRules()
  /// What is redacted; nil in manifests written before they could say so.
  package var redaction: Redaction?
  /// Which parts of a response are rewritten to name the proxy.
  package var rewriting = RewriteRules()
  /// Members of the user's own, kept as they are.
  package var others: [JSONMember] = []

  package init(upstream: String?) { self.upstream = upstream }

  package init(parsing bytes: [UInt8], file: String) throws(CassetteError) {
    let value = try JSONFile.parse(bytes, file: file)
    if let version = value["tapedeck"]?.int, version > Self.newestVersion {
      throw .newerFormat(file: file, version: version)
    }
    do throws(JSONProblem) { try self.init(decoding: value) } catch { throw CassetteError(error, in: file) }
  }

  private init(decoding value: JSONValue) throws(JSONProblem) {
    let place = JSONPlace.document
    let object = try StrictObject(value, at: place, known: Self.known, allowsOwn: true)
    guard let version = try object.required("tapedeck").int, version >= 1 else {
      throw place.member("tapedeck").problem(
        "a format version from 1 to \(Self.newestVersion) is expected here")
    }
    formatVersion = version
    upstream = try object.text("upstream")
    if let match = try object.texts("match") {
      do throws(MatchSpecError) { rules = try MatchSpec(match).rules() } catch {
        throw place.member("match").problem("\(error)")
      }
    }
    if let value = object["redaction"] {
      redaction = try RedactionFormat.decode(value, at: place.member("redaction"))
    }
    if let value = object["rewrite"] {
      rewriting = try RewriteFormat.decode(value, at: place.member("rewrite"))
    }
    others = (value.members ?? []).filter { member in
      !Self.known.contains { member.name.isEqual(to: $0.utf8) }
    }
  }

  private static let known: [String] = ["tapedeck", "upstream", "match", "redaction", "rewrite"]

  package var fileBytes: [UInt8] { FileLayout.bytes(tree) }

  package var tree: JSONValue {
    // Version 1 does not know `rewrite`, and would give responses that lead away.
    let isRewritten = rewriting != RewriteRules()
    var members = [JSONMember("tapedeck", JSONValue(isRewritten ? max(formatVersion, 2) : formatVersion))]
    if let upstream { members.append(JSONMember("upstream", JSONValue(upstream))) }
    members.append(JSONMember("match", .array(rules.items.map { JSONValue($0) })))
    if let redaction { members.append(JSONMember("redaction", RedactionFormat.encode(redaction))) }
    if isRewritten { members.append(JSONMember("rewrite", RewriteFormat.encode(rewriting))) }
    return .object(members + others)
  }
}
