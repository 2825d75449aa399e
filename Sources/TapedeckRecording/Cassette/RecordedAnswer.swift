public import TapedeckHTTP

/// One recorded exchange, ready to be given again.
public final class RecordedAnswer: Sendable {
  /// The name of its file in the cassette.
  public let fileName: String
  public let interaction: Interaction
  /// What is sent, made once when the cassette was loaded; nil when it is made for each request.
  public let prepared: PreparedResponse?
  let key: MatchKey

  init(_ stored: StoredInteraction, prepared: PreparedResponse?) {
    fileName = stored.name
    interaction = stored.interaction
    key = stored.key
    self.prepared = prepared
  }
}
