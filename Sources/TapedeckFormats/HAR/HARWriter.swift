import TapedeckHTTP
package import TapedeckRecording

/// Writes a cassette as strict HAR 1.2: every member the standard requires, times that are whole and not negative,
/// text in UTF-8, bodies without their content coding. What HAR cannot hold is in `_tapedeck`, see `HARExtension`, so
/// that reading the file again gives every interaction back as it was.
package struct HARWriter {
  private let creatorVersion: String
  let origin: ExportOrigin

  /// - Parameter creatorVersion: of the program that writes.
  package init(creatorVersion: String) {
    self.init(creatorVersion: creatorVersion, upstream: nil)
  }

  init(creatorVersion: String, upstream: String?) {
    self.creatorVersion = creatorVersion
    origin = ExportOrigin(upstream: upstream)
  }

  /// Writes the file piece by piece; bodies are read as they come.
  package func write(_ cassette: Cassette, into take: ([UInt8]) throws -> Void) throws {
    let writer = HARWriter(creatorVersion: creatorVersion, upstream: cassette.upstream)
    try take(writer.opening(cassette.currentManifest))
    for (index, answer) in cassette.answers.enumerated() {
      try take(Array((index == 0 ? "\n" : ",\n").utf8) + writer.entry(answer.interaction).indented(2))
    }
    try take(Self.ending)
  }

  /// Writes exchanges that are in no cassette.
  package func file(_ interactions: [Interaction], upstream: String?) throws(CassetteError) -> [UInt8] {
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
    let (started, total, timings) = Self.times(facts)
    let request = try request(interaction)
    let response = try response(interaction)
    var own = [JSONMember("format", JSONValue(HARExtension.currentFormat))]
    if !request.own.isEmpty { own.append(JSONMember("request", .object(request.own))) }
    if !response.own.isEmpty { own.append(JSONMember("response", .object(response.own))) }
    own.append(JSONMember("volatile", try InteractionFormat.encode(facts)))
    var members = [
      JSONMember("startedDateTime", JSONValue(started)), JSONMember("time", JSONValue(total)),
      JSONMember("request", request.value), JSONMember("response", response.value),
      JSONMember("cache", .object([])), JSONMember("timings", timings),
    ]
    if let address = Self.withoutPort(facts.remoteAddress) {
      members.append(JSONMember("serverIPAddress", JSONValue(address)))
    }
    return .object(members + [JSONMember(HARExtension.member, .object(own))])
  }

  /// The first day of the year 0, the earliest that four digits can tell.
  private static let earliest = -62_167_219_200_000

  /// When an exchange was and how long it took, in whole milliseconds, since some readers take nothing else.
  private static func times(_ facts: VolatileFacts) -> (started: String, total: Int, timings: JSONValue) {
    let total = Int((facts.durationMilliseconds ?? 0).rounded())
    let wait = min(
      total, Int((facts.chunkOffsetsMilliseconds?.first ?? facts.durationMilliseconds ?? 0).rounded()))
    let started = max((facts.recordedAtMilliseconds ?? 0) - total, earliest)
    return (
      Timestamp.text(milliseconds: started), total,
      ["send": 0, "wait": JSONValue(wait), "receive": JSONValue(total - wait)]
    )
  }

  /// An address as HAR writes it.
  private static func withoutPort(_ address: String?) -> String? {
    guard let address, !address.isEmpty else { return nil }
    if address.hasPrefix("["), let close = address.firstIndex(of: "]") {
      return String(address[address.index(after: address.startIndex)..<close])
    }
    let colons = address.utf8.count { $0 == UInt8(ascii: ":") }
    return colons == 1 ? String(address.prefix { $0 != ":" }) : address
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
