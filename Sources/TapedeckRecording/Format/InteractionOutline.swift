import TapedeckHTTP

/// What replaying needs of an interaction before anyone asks for its answer.
struct InteractionOutline: Equatable {
  var recorded: RecordedRequest
  var status: Int
  var recordedAtMicroseconds: Int?
  /// See `VaryNames`.
  var varying: [[UInt8]] = []
}

extension InteractionOutline {
  init(_ interaction: Interaction) {
    self.init(
      recorded: interaction.recordedRequest, status: interaction.response.head.status,
      recordedAtMicroseconds: interaction.volatile.recordedAtMicroseconds,
      varying: VaryNames.names(in: interaction.response.head.fields))
  }
}
