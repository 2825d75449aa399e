import TapedeckHTTP
package import TapedeckRedaction

/// Redacts interactions that are recorded already, by rules that are new, and by what a scan finds besides.
///
/// All interactions are searched before the first is changed, so that a secret that one of them gives away is hidden in
/// all, whatever their order. A secret that only the scanner has found is hidden by its value. A client that sends it at
/// replay still gets its response, because its hash is in the cassette (`SecretLinks`).
package struct LateRedaction {
  private let redaction: Redaction
  private let memory: SecretMemory
  /// `nil` where the rules alone decide.
  private let scanner: SecretScanner?

  package init(_ redaction: Redaction, memory: SecretMemory = SecretMemory(), hidesFinds: Bool) {
    self.redaction = redaction
    self.memory = memory
    scanner = hidesFinds ? redaction.rules.map { SecretScanner($0) } : nil
  }

  package func learn(_ interaction: Interaction) throws(CassetteError) {
    guard let policy = redaction.policy else { return }
    let redacted = redaction.redacted(interaction, memory: memory).interaction
    guard let scanner else { return }
    for find in try scanner.finds(in: redacted, file: "") { memory.add(find, policy) }
  }

  /// The interaction without any learned secret. Bodies that are not held in memory stay as they are.
  package func hidden(_ interaction: Interaction) -> (interaction: Interaction, count: Int) {
    let result = redaction.redacted(interaction, memory: memory)
    return (result.interaction, result.count)
  }
}
