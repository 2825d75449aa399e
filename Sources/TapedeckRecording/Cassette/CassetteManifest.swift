import TapedeckHTTP

/// What `cassette.json` says about the whole cassette.
struct CassetteManifest: Equatable {
  static let currentVersion = 1

  var upstream: String?
  var matcher = RequestMatcher()
  /// Members of the user's own, kept as they are.
  var others: [JSONMember] = []

  init(upstream: String?) { self.upstream = upstream }

  init(parsing bytes: [UInt8], file: String) throws(CassetteError) {
    let place = EntryPlace(file: file)
    let value = try JSONFile.parse(bytes, file: file)
    if let version = value["tapedeck"]?.int, version > Self.currentVersion {
      throw .newerFormat(file: file, version: version)
    }
    let object = try StrictObject(value, at: place, known: ["tapedeck", "upstream", "match"])
    guard try object.required("tapedeck").int == Self.currentVersion else {
      throw place.member("tapedeck").problem(
        "the format version is expected here, which is \(Self.currentVersion)")
    }
    upstream = try object.text("upstream")
    if let match = try object.array("match"), match != Self.encode(matcher).array {
      throw place.member("match").problem("only \(Self.text(Self.encode(matcher))) is known here")
    }
    others = (value.members ?? []).filter { member in
      !["tapedeck", "upstream", "match"].contains { member.name.isEqual(to: $0 as StaticString) }
    }
  }

  private static func encode(_ matcher: RequestMatcher) -> JSONValue {
    .array(matcher.components.map { JSONValue($0.rawValue) })
  }

  private static func text(_ value: JSONValue) -> String {
    String(decoding: value.bytes(.spaced), as: UTF8.self)
  }

  var fileBytes: [UInt8] {
    var members = [JSONMember("tapedeck", JSONValue(Self.currentVersion))]
    if let upstream { members.append(JSONMember("upstream", JSONValue(upstream))) }
    members.append(JSONMember("match", Self.encode(matcher)))
    return FileLayout.bytes(.object(members + others))
  }
}
