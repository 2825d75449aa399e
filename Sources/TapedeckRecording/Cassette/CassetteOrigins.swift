/// The origins that a cassette stands for.
public enum CassetteOrigins: Sendable, Equatable {
  /// One, as a URL that may have a path prefix; `nil` if it is not known.
  case one(String?)
  /// Any number: each interaction names its own (cassette format version 2).
  case several

  package var upstream: String? {
    guard case .one(let upstream) = self else { return nil }
    return upstream
  }
}
