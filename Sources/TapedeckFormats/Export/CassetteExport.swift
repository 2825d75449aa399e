import TapedeckHTTP
package import TapedeckRecording
import TapedeckRedaction

/// The formats of other tools that a cassette can be written in, beside HAR.
package enum ExportFormat: String, Sendable, CaseIterable {
  case vcr, vcrpy, wiremock, hoverfly
}

/// Writes a cassette as a file of another tool, piece by piece; bodies are read as they come.
///
/// Facts that the format has no place for are reported, and never replaced by something similar.
package struct CassetteExport {
  private let format: ExportFormat
  private let creatorVersion: String
  private var losses = ExportLosses()

  package init(_ format: ExportFormat, creatorVersion: String) {
    self.format = format
    self.creatorVersion = creatorVersion
  }

  /// - Parameter take: is given the file, a piece for each interaction and a few more.
  /// - Returns: what is not in the file, one line a reason.
  package mutating func write(_ cassette: Cassette, into take: ([UInt8]) throws -> Void) throws -> [String] {
    if cassette.recordedRules != MatchRules() {
      losses.note("the rules by which requests are compared are not carried over")
    }
    try take(Array(opening.utf8))
    let origin = ExportOrigin(upstream: cassette.upstream)
    let order = cassette.recordedOrder
    var isFirst = true
    for interaction in cassette.interactions {
      losses.note(of: interaction)
      let exported = try ExportedInteraction(
        interaction, url: origin.url(of: interaction.interaction.request),
        among: order[interaction.key] ?? [interaction])
      guard let entry = entry(exported) else { continue }
      try take(Array((isFirst || isYAML ? "" : ",\n").utf8) + entry)
      isFirst = false
    }
    try take(Array(closing(isEmpty: isFirst).utf8))
    return losses.lines
  }

  private var isYAML: Bool { format == .vcr || format == .vcrpy }

  private mutating func entry(_ interaction: ExportedInteraction) -> [UInt8]? {
    switch format {
    case .vcr: YAMLWriter.bytes(.list([interaction.vcr(&losses)]))
    case .vcrpy: YAMLWriter.bytes(.list([interaction.vcrpy(&losses)]))
    case .wiremock: interaction.wireMock(&losses).indented(1)
    case .hoverfly: interaction.hoverfly(&losses)?.indented(2)
    }
  }

  private var opening: String {
    switch format {
    case .vcr: "---\nhttp_interactions:\n"
    case .vcrpy: "interactions:\n"
    case .wiremock: "{\n  \"mappings\": [\n"
    case .hoverfly: "{\n  \"data\": {\n    \"pairs\": [\n"
    }
  }

  private func closing(isEmpty: Bool) -> String {
    switch format {
    case .vcr: "\(isEmpty ? "  []\n" : "")recorded_with: Tapedeck \(creatorVersion)\n"
    case .vcrpy: "\(isEmpty ? "  []\n" : "")version: 1\n"
    case .wiremock: "\n  ]\n}\n"
    case .hoverfly:
      "\n    ],\n    \"globalActions\": {\"delays\": [], \"delaysLogNormal\": []}\n  },\n"
        + "  \"meta\": {\"schemaVersion\": \"v5\", \"hoverflyVersion\": \"\", \"timeExported\": \"\"}\n}\n"
    }
  }
}

/// Collects what a format has no place for, so that the user is told of it.
struct ExportLosses {
  private var notes: [(what: String, file: String?)] = []

  /// - Parameter file: the interaction that lacks it; `nil` for the cassette as a whole.
  mutating func note(_ what: String, of file: String? = nil) { notes.append((what, file)) }

  var lines: [String] {
    notes.groupedInOrder(by: \.what).map { what, notes in
      let files = notes.compactMap(\.file)
      return files.isEmpty ? what : "\(files.firstThree): \(what)"
    }
  }

  /// Notes what none of the formats can hold.
  mutating func note(of stored: StoredInteraction) {
    let (request, response) = (stored.interaction.request, stored.interaction.response)
    let losses: [(Bool, String)] = [
      (
        (response.chunkSizes?.count ?? 0) > 1,
        "it comes in one piece, not in the pieces and at the pace that were recorded"
      ),
      (response.webSocket != nil, "its WebSocket messages are not carried over"),
      (!request.trailers.isEmpty || !response.trailers.isEmpty, "its trailers are not carried over"),
      (response.isCloseDelimited, "that its body ends with the connection is not carried over"),
      (response.isCutByClient, "that the client left before its end is not carried over"),
      (!response.interim.isEmpty, "its interim responses are not carried over"),
      (
        Placeholder.stands(in: request.target) || Placeholder.stands(in: request.body),
        "a secret in its URL or body is a placeholder there, so that only a request with the same matches"
      ),
    ]
    for (isLost, what) in losses where isLost { note(what, of: stored.fileName) }
  }
}

extension JSONValue {
  /// As it stands in a file, at a level of indentation.
  func indented(_ level: Int) -> [UInt8] {
    var out = Array(repeating: UInt8(ascii: " "), count: 2 * level + 2)
    write(.indented(2), level: level + 1, to: &out)
    return out
  }
}
