import TapedeckHTTP
import TapedeckRecording
import TapedeckRedaction

/// What a format has no place for, so that the user is told of it.
struct ExportLosses {
  private static let named = 3

  private var order: [String] = []
  private var files: [String: [String]] = [:]

  /// - Parameter file: the interaction that lacks it; nil for the cassette as a whole.
  mutating func note(_ what: String, of file: String? = nil) {
    if files[what] == nil { order.append(what) }
    files[what, default: []] += file.map { [$0] } ?? []
  }

  /// One line for each.
  var lines: [String] {
    order.map { what in
      let names = files[what] ?? []
      guard !names.isEmpty else { return what }
      let more = names.count > Self.named ? " and \(names.count - Self.named) more" : ""
      return "\(names.prefix(Self.named).joined(separator: ", "))\(more): \(what)"
    }
  }
}

extension ExportLosses {
  /// Notes what none of the formats can hold.
  mutating func note(of cassette: Cassette) {
    if cassette.recordedRules != MatchRules() {
      note("the rules by which requests are compared are not carried over")
    }
  }

  mutating func note(of stored: StoredInteraction) {
    let (request, response) = (stored.interaction.request, stored.interaction.response)
    if response.chunkSizes.map({ $0.count > 1 }) == true {
      note("it comes in one piece, not in the pieces and at the pace that were recorded", of: stored.fileName)
    }
    if !request.trailers.isEmpty || !response.trailers.isEmpty {
      note("its trailers are not carried over", of: stored.fileName)
    }
    if response.isCloseDelimited {
      note("that its body ends with the connection is not carried over", of: stored.fileName)
    }
    if response.isCutByClient {
      note("that the client left before its end is not carried over", of: stored.fileName)
    }
    if !response.interim.isEmpty {
      note("its interim responses are not carried over", of: stored.fileName)
    }
    if Placeholder.stands(in: request.target) || Placeholder.stands(in: request.body) {
      note(
        "a secret in its URL or body is a placeholder there, so that only a request with the same matches",
        of: stored.fileName)
    }
  }
}
