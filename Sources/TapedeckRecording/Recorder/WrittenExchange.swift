import TapedeckHTTP

/// An exchange in the journal, as its recorder keeps it in mind. What its file is called is worked out when it is sealed,
/// not while a client waits.
struct WrittenExchange {
  private let key: MatchKey
  private let method: HTTPMethod
  private let path: ArraySlice<UInt8>
  private let arrival: Int
  /// See `JournalRecord`.
  private let base: Int
  /// Where its line stands.
  var offset = 0
  var count = 0

  init(_ key: MatchKey, _ request: HTTPRequest, arrival: Int, base: Int) {
    self.key = key
    method = request.method
    path = request.path
    self.arrival = arrival
    self.base = base
  }

  var entry: Sealer.Entry {
    Sealer.Entry(
      recording: SealPlan.Recording(
        digest: key.digest, prefix: CassetteNames.prefix(method: method, path: path), arrival: arrival,
        base: base),
      offset: offset, count: count)
  }
}
