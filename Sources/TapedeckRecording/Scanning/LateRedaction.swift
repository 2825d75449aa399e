import TapedeckHTTP

/// Hides in exchanges that are recorded already what their rules did not say at the time, and what a scan finds beside
/// that.
///
/// Everything is looked at before anything is changed: what one exchange gives away is hidden in all of them, whatever
/// their order. A secret that only the scan has found is hidden by its value. A client that sends it at replay gets its
/// answer all the same, since its hash is in the cassette (`SecretLinks`).
struct LateRedaction {
  private let redaction: Redaction
  private let memory: SecretMemory
  /// Nil where the rules alone decide.
  private let scanner: SecretScanner?

  init(_ redaction: Redaction, memory: SecretMemory = SecretMemory(), hidesFinds: Bool) {
    self.redaction = redaction
    self.memory = memory
    scanner = hidesFinds ? SecretScanner(keep: redaction.rules?.keep ?? []) : nil
  }

  func learn(_ interaction: Interaction) throws(CassetteError) {
    guard let policy = redaction.policy else { return }
    let hidden = redaction.redacted(interaction, memory: memory).interaction
    for find in try scanner?.finds(in: hidden, file: "") ?? [] {
      guard let placeholder = RedactionPass(policy).placeholder(for: find.secret[...]) else { continue }
      memory.add(find.secret, placeholder)
    }
  }

  /// The exchange without what has been learned. Bodies that are not held stay as they are.
  func hidden(_ interaction: Interaction) -> (interaction: Interaction, count: Int) {
    let result = redaction.redacted(interaction, memory: memory)
    return (result.interaction, result.count)
  }
}
