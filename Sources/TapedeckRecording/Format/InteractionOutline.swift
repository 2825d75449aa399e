import TapedeckHTTP

/// What replaying needs of an interaction before anyone asks for its answer.
struct InteractionOutline: Equatable {
  var recorded: RecordedRequest
  var status: Int
  var recordedAtMicroseconds: Int?
}

extension InteractionOutline {
  init(_ interaction: Interaction) {
    self.init(
      recorded: interaction.recordedRequest, status: interaction.response.head.status,
      recordedAtMicroseconds: interaction.volatile.recordedAtMicroseconds)
  }
}
