internal import TapedeckRecording

extension SealReport {
  /// Says what a cassette holds that may be secret, after it was written.
  func sayWarnings(path: String) {
    for coding in unsearchedCodings { Terminal.say(SecretAdvice.unsearched(coding: coding)) }
    if !finds.isEmpty { Terminal.say("warning: \(SecretAdvice.warning(finds, path: path))") }
  }
}
