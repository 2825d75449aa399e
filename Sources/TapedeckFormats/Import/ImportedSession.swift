public import TapedeckRecording

/// What was read from files of other tools: the exchanges, in the order of the files, and a note for everything that
/// could not be carried over. Nothing is guessed in place of what a file does not say.
public struct ImportedSession: Sendable {
  public internal(set) var exchanges: [ImportedExchange] = []
  public internal(set) var notes: [ImportNote] = []
  /// The rules of the cassette a file was exported from.
  package var manifest: CassetteManifest?

  public init() {}

  /// The origins in the order they are first met, each with how many exchanges there were with it.
  public var origins: [(origin: String, count: Int)] {
    var counts: [String: Int] = [:]
    for exchange in exchanges { counts[exchange.origin, default: 0] += 1 }
    var origins: [(origin: String, count: Int)] = []
    for exchange in exchanges {
      if let count = counts.removeValue(forKey: exchange.origin) { origins.append((exchange.origin, count)) }
    }
    return origins
  }

  /// The origin with the most exchanges; of equals, the first.
  public var chiefOrigin: String? {
    let origins = origins.filter { !$0.origin.isEmpty }
    let most = origins.map(\.count).max()
    return origins.first { $0.count == most }?.origin
  }

  /// The origin that was recorded: as the cassette says that it was exported from, else the one of most exchanges.
  public var upstream: String? { manifest.map(\.upstream) ?? chiefOrigin }

  /// The rules by which requests are told apart: those of the cassette it was exported from, else the usual ones.
  public var rules: MatchRules { manifest?.rules ?? MatchRules() }

  /// What another file held, behind this.
  public mutating func append(_ other: ImportedSession) {
    exchanges += other.exchanges
    notes += other.notes
    manifest = manifest ?? other.manifest
  }
}
