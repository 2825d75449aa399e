package import TapedeckHTTP
package import TapedeckRedaction

/// The contents of `cassette.json`, which apply to the whole cassette.
package struct CassetteManifest: Equatable {
  /// The newest format version; version 1 is written while it suffices (`InteractionFormat.version`).
  static let newestVersion = 2

  package var formatVersion = 1
  package var upstream: String?
  /// The origins of the interactions, sorted; `nil` unless each interaction names its own.
  package var origins: [String]?
  /// How clients reach `origins`; `nil` without these.
  package var upstreams: RecordedUpstreams?
  package var rules = MatchRules()
  /// The redaction; `nil` in older manifests, which do not store it.
  package var redaction: Redaction?
  package var rewriting = RewriteRules()
  package var others: [JSONMember] = []

  package init(upstream: String?) { self.upstream = upstream }

  package init(_ origins: CassetteOrigins) {
    upstream = origins.upstream
    self.origins = origins == .several ? [] : nil
  }

  /// The upstreams after a recording with `later`.
  func upstreams(after later: RecordedUpstreams?) -> RecordedUpstreams? {
    guard let later else { return upstreams }
    return upstreams?.joined(later) ?? later
  }

  package var recordedOrigins: CassetteOrigins { origins == nil ? .one(upstream) : .several }

  package init(parsing bytes: [UInt8], file: String) throws(CassetteError) {
    let value = try JSONFile.parse(bytes, file: file)
    if let version = value["tapedeck"]?.int, version > Self.newestVersion {
      throw .newerFormat(file: file, version: version)
    }
    self = try CassetteError.naming(file) { () throws(JSONProblem) in try Self(decoding: value) }
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
    origins = try Self.origins(object, version: version)
    upstreams = try Self.upstreams(object)
    if let match = try object.texts("match") {
      do throws(MatchSpecError) { rules = try MatchSpec(match).rules() } catch {
        throw place.member("match").problem("\(error)")
      }
    }
    let (redaction, rewriting) = try Self.policies(object["redaction"], object["rewrite"])
    self.redaction = redaction
    self.rewriting = rewriting ?? RewriteRules()
    others = (value.members ?? []).filter { member in
      !Self.known.contains { member.name.isEqual(to: $0.utf8) }
    }
  }

  static let originsMember = "origins"
  private static let known: [String] = [
    "tapedeck", "upstream", originsMember, RecordedUpstreams.member, RecordedUpstreams.forwardMember, "match",
    "redaction", "rewrite",
  ]

  private static func upstreams(_ object: StrictObject) throws(JSONProblem) -> RecordedUpstreams? {
    if object[originsMember] != nil { return try RecordedUpstreams(object) }
    for name in [RecordedUpstreams.member, RecordedUpstreams.forwardMember] where object[name] != nil {
      throw object.place.member(name).problem("`\(name)` needs `\(originsMember)`")
    }
    return nil
  }

  private static func origins(_ object: StrictObject, version: Int) throws(JSONProblem) -> [String]? {
    guard let items = try object.array(originsMember) else { return nil }
    let place = object.place.member(originsMember)
    guard version > 1 else { throw place.problem("`origins` needs a `tapedeck` of 2") }
    guard object["upstream"] == nil else {
      throw place.problem("`origins` makes no sense beside `upstream`")
    }
    return try items.enumerated().map { index, item throws(JSONProblem) in
      "\(try InteractionFormat.origin(item, at: place.element(index)))"
    }
  }

  package var fileBytes: [UInt8] { InteractionFormat.fileBytes(tree) }

  package var tree: JSONValue {
    // Version 1 does not know `rewrite`; its readers would give responses that link to the origin.
    let isRewritten = rewriting != RewriteRules()
    let isNewer = isRewritten || origins != nil
    let version = JSONMember("tapedeck", JSONValue(isNewer ? max(formatVersion, 2) : formatVersion))
    let origins = origins.map {
      [JSONMember(JSONString(Self.originsMember), .array($0.map { JSONValue($0) }))]
    }
    return .object(
      [version] + (origins ?? []) + (upstreams?.members ?? [])
        + Self.members(upstream, rules, redaction, isRewritten ? rewriting : nil) + others)
  }

  static func members(
    _ upstream: String?, _ rules: MatchRules?, _ redaction: Redaction?, _ rewriting: RewriteRules?
  ) -> [JSONMember] {
    [
      upstream.map { JSONMember("upstream", JSONValue($0)) },
      rules.map { JSONMember("match", .array($0.items.map { JSONValue($0) })) },
      redaction.map { JSONMember("redaction", $0.tree) }, rewriting.map { JSONMember("rewrite", $0.tree) },
    ].compactMap(\.self)
  }

  static func policies(
    _ redaction: JSONValue?, _ rewriting: JSONValue?
  ) throws(JSONProblem) -> (Redaction?, RewriteRules?) {
    (
      try redaction.map { value throws(JSONProblem) in
        try Redaction(value, at: .document.member("redaction"))
      },
      try rewriting.map { value throws(JSONProblem) in
        try RewriteRules(value, at: .document.member("rewrite"))
      }
    )
  }
}
