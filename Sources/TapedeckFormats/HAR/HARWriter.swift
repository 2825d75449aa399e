import TapedeckHTTP
public import TapedeckRecording

/// Writes a cassette as HAR 1.2, strictly: every member the standard requires, times that are whole and not negative,
/// text in UTF-8, bodies without their content coding. What HAR cannot hold is in `_tapedeck`, see `HARExtension`, so
/// that reading the file again gives every interaction back as it was.
public struct HARWriter {
  private let creatorVersion: String
  private let origin: HAROrigin

  /// - Parameter creatorVersion: of the program that writes.
  public init(creatorVersion: String) {
    self.init(creatorVersion: creatorVersion, upstream: nil)
  }

  init(creatorVersion: String, upstream: String?) {
    self.creatorVersion = creatorVersion
    origin = HAROrigin(upstream: upstream)
  }

  /// Writes the file piece by piece; bodies are read as they come.
  public func write(_ cassette: Cassette, into take: ([UInt8]) throws -> Void) throws {
    let writer = HARWriter(creatorVersion: creatorVersion, upstream: cassette.upstream)
    try take(writer.opening(cassette.currentManifest))
    for (index, answer) in cassette.answers.enumerated() {
      try take(Array((index == 0 ? "\n" : ",\n").utf8) + writer.entry(answer.interaction).indented(2))
    }
    try take(Self.ending)
  }

  /// A file of exchanges that are in no cassette.
  public func file(_ interactions: [Interaction], upstream: String?) throws(CassetteError) -> [UInt8] {
    let writer = HARWriter(creatorVersion: creatorVersion, upstream: upstream)
    var out = writer.opening(CassetteManifest(upstream: upstream))
    for (index, interaction) in interactions.enumerated() {
      out += (index == 0 ? "\n" : ",\n").utf8
      out += try writer.entry(interaction).indented(2)
    }
    return out + Self.ending
  }

  private static let ending = Array("\n    ]\n  }\n}\n".utf8)

  private func opening(_ manifest: CassetteManifest) -> [UInt8] {
    let creator: JSONValue = ["name": "Tapedeck", "version": JSONValue(creatorVersion)]
    let own = [
      JSONMember("format", JSONValue(HARExtension.currentFormat)), JSONMember("cassette", manifest.tree),
    ]
    var out = Array("{\n  \"log\": {\n    \"version\": \"1.2\",\n    \"creator\": ".utf8)
    out += creator.bytes(.spaced)
    out += ",\n    \"\(HARExtension.name)\": ".utf8
    out += JSONValue.object(own).bytes(.spaced)
    return out + ",\n    \"entries\": [".utf8
  }

  /// One entry.
  func entry(_ interaction: Interaction) throws(CassetteError) -> JSONValue {
    let facts = interaction.volatile
    let times = HARTimes(facts)
    let request = try HARRequest(interaction, origin: origin)
    let response = try HARResponse(interaction)
    var own = [JSONMember("format", JSONValue(HARExtension.currentFormat))]
    if !request.own.isEmpty { own.append(JSONMember("request", .object(request.own))) }
    if !response.own.isEmpty { own.append(JSONMember("response", .object(response.own))) }
    own.append(JSONMember("volatile", try InteractionFormat.encode(facts)))
    var members = [
      JSONMember("startedDateTime", JSONValue(times.started)), JSONMember("time", JSONValue(times.total)),
      JSONMember("request", request.value), JSONMember("response", response.value),
      JSONMember("cache", .object([])), JSONMember("timings", times.timings),
    ]
    if let address = HARAddress.withoutPort(facts.remoteAddress) {
      members.append(JSONMember("serverIPAddress", JSONValue(address)))
    }
    return .object(members + [JSONMember(HARExtension.member, .object(own))])
  }
}

extension Cassette {
  /// What `cassette.json` would say if everything were sealed now.
  fileprivate var currentManifest: CassetteManifest {
    var current = manifest ?? CassetteManifest(upstream: upstream)
    current.rules = recordedRules
    current.rewriting = recordedRewriting
    return current
  }
}
