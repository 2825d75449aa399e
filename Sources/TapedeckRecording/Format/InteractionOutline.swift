import TapedeckHTTP

/// What replaying needs of an interaction before anyone asks for its answer.
struct InteractionOutline: Equatable {
  var recorded: RecordedRequest
  var status: Int
  var recordedAtMilliseconds: Int?
}

extension InteractionOutline {
  init(_ interaction: Interaction) {
    self.init(
      recorded: interaction.recordedRequest, status: interaction.response.head.status,
      recordedAtMilliseconds: interaction.volatile.recordedAtMilliseconds)
  }
}
