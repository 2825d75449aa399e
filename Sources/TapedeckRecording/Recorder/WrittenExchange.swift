import TapedeckHTTP

/// An exchange in the journal, as its recorder keeps it in mind. Its digest is worked out when it is sealed, not while a
/// client waits.
struct WrittenExchange {
  private let key: MatchKey
  /// What the name of its file begins with.
  private let prefix: String
  private let arrival: Int
  /// See `JournalRecord`.
  private let base: Int
  /// Where its line stands.
  var offset = 0
  var count = 0

  init(_ key: MatchKey, _ request: HTTPRequest, arrival: Int, base: Int) {
    self.key = key
    prefix = CassetteNames.prefix(of: request)
    self.arrival = arrival
    self.base = base
  }

  var entry: Sealer.Entry {
    Sealer.Entry(
      recording: SealPlan.Recording(
        digest: key.digest, prefix: prefix, arrival: arrival,
        base: base),
      offset: offset, count: count)
  }
}
