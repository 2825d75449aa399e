/// How a replayed stream goes on where the client left it when it was recorded.
public enum CutPolicy: String, Sendable, CaseIterable {
  /// It stays open and silent, as it was.
  case open
  /// Its body ends properly.
  case close
}
