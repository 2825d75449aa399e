import TapedeckHTTP
package import TapedeckRedaction

/// Hides in exchanges that are recorded already what their rules did not say at the time, and what a scan finds beside
/// that.
///
/// Everything is looked at before anything is changed: what one exchange gives away is hidden in all of them, whatever
/// their order. A secret that only the scan has found is hidden by its value. A client that sends it at replay gets its
/// answer all the same, since its hash is in the cassette (`SecretLinks`).
package struct LateRedaction {
  private let redaction: Redaction
  private let memory: SecretMemory
  /// Nil where the rules alone decide.
  private let scanner: SecretScanner?

  package init(_ redaction: Redaction, memory: SecretMemory = SecretMemory(), hidesFinds: Bool) {
    self.redaction = redaction
    self.memory = memory
    scanner = hidesFinds ? SecretScanner(keep: redaction.rules?.keep ?? []) : nil
  }

  package func learn(_ interaction: Interaction) throws(CassetteError) {
    guard let policy = redaction.policy else { return }
    let hidden = redaction.redacted(interaction, memory: memory).interaction
    guard let scanner else { return }
    for find in try scanner.finds(in: hidden, file: "") { memory.add(find, policy, scanner) }
  }

  /// The exchange without what has been learned. Bodies that are not held stay as they are.
  package func hidden(_ interaction: Interaction) -> (interaction: Interaction, count: Int) {
    let result = redaction.redacted(interaction, memory: memory)
    return (result.interaction, result.count)
  }
}

extension SecretMemory {
  /// Remembers what a scan has found, as it is and in the base64 it was found in.
  package func add(_ find: SecretFind, _ policy: RedactionPolicy, _ scanner: SecretScanner) {
    let pass = RedactionPass(policy)
    if let placeholder = pass.placeholder(for: find.secret[...]) { add(find.secret, placeholder) }
    guard let run = find.run, let outer = EncodedText(run[...]) else { return }
    var edits = TextEdits()
    for raw in scanner.scan(outer.text[...]) {
      if let placeholder = pass.placeholder(for: outer.text[raw.range]) { edits.add(raw.range, placeholder) }
    }
    add(run, outer.encoded(edits.applied(to: outer.text[...])), inAllForms: false)
  }
}
