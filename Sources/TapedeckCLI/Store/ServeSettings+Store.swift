internal import TapedeckObjectStore
internal import TapedeckProxy

extension ServeSettings {
  /// A cassette in an object store is fetched last, after everything that could be wrong with the command line.
  mutating func readStore(_ arguments: Arguments) throws {
    let name = proxy.cassette.flatMap { RemoteCassettes.isMeant(by: $0) ? $0 : nil }
    let mayRecord = proxy.mode.mayRecord(cassetteExists: false)
    followSeconds = try arguments.number(.follow, in: 1...86_400)
    if followSeconds != nil {
      guard name != nil else { throw UsageError("--follow needs an s3:// cassette") }
      guard proxy.mode == .none, !RemoteCassettes.isOffline else {
        throw UsageError("--follow only replays (--mode none), and not with --offline")
      }
    }
    guard let name else { return }
    proxy.cassettePlace = name
    if mayRecord {
      let recording = try RemoteCassettes.record(name)
      (self.recording, proxy.cassette) = (recording, recording.folder)
    } else if proxy.mode == .none {
      proxy.cassette = try RemoteCassettes.folder(name)
    }
  }
}
