import Synchronization
import TapedeckHTTP

/// The secrets of a recording's earlier exchanges: a session's id from a response is hidden in the paths of later
/// requests. At replay the client only has the placeholder to send, so the recording must have the placeholder there.
///
/// A copy is found by its longest run of letters and digits, so a text is read once however many secrets are remembered.
/// Short secrets are not remembered, since another value may equal them.
package final class SecretMemory: Sendable {
  /// Forms of secrets by their longest run, and the place of the run in them.
  private typealias Entries = [[UInt8]: [(form: KnownSecrets.Form, offset: Int)]]

  static let minimumBytes = 12
  private static let maximumSecrets = 10_000
  private static let minimumRunBytes = 6
  private let state = Mutex<(entries: Entries, secrets: Set<[UInt8]>)>(([:], []))

  package init() {}

  package var isEmpty: Bool { state.withLock { $0.entries.isEmpty } }

  package func add(_ known: KnownSecrets) {
    for (secret, placeholder) in known.secrets { add(secret, placeholder) }
  }

  /// - Parameter inAllForms: whether to look for it percent-encoded, in base64 and so on too.
  package func add(_ secret: [UInt8], _ placeholder: [UInt8], inAllForms: Bool = true) {
    guard secret.count >= Self.minimumBytes else { return }
    state.withLock { state in
      guard state.secrets.count < Self.maximumSecrets, state.secrets.insert(secret).inserted else { return }
      for form in inAllForms ? KnownSecrets.forms(of: secret, placeholder) : [(secret, placeholder)] {
        guard let run = Self.longestRun(in: form.pattern) else { continue }
        state.entries[Array(form.pattern[run]), default: []].append((form, run.lowerBound))
      }
    }
  }

  private static func longestRun(in pattern: [UInt8]) -> Range<Int>? {
    let runs = pattern.split { !ASCII.isAlphanumeric($0) }
    guard let longest = runs.max(by: { $0.count < $1.count }), longest.count >= minimumRunBytes else {
      return nil
    }
    return longest.startIndex..<longest.endIndex
  }

  /// Every copy of what is remembered.
  package func copies(in text: ArraySlice<UInt8>) -> Finds {
    var finds = Finds()
    let entries = state.withLock { $0.entries }
    guard !entries.isEmpty else { return finds }
    var index = text.startIndex
    while index < text.endIndex {
      guard ASCII.isAlphanumeric(text[index]) else {
        index += 1
        continue
      }
      let run = text[index...].prefix(while: ASCII.isAlphanumeric)
      index = run.endIndex
      guard run.count >= Self.minimumRunBytes, let found = entries[Array(run)] else { continue }
      for entry in found {
        let start = run.startIndex - entry.offset
        let range = start..<start + entry.form.pattern.count
        guard start >= text.startIndex, range.upperBound <= text.endIndex,
          text[range].elementsEqual(entry.form.pattern), !Placeholder.holds(range, in: text)
        else { continue }
        finds.add(range, entry.form.placeholder)
        index = max(index, range.upperBound)
        break
      }
    }
    return finds
  }
}

extension SecretMemory {
  /// Adds a find of a scanner with the same key: the secret, and the base64 that it was found in.
  package func add(_ find: SecretFind, _ policy: RedactionPolicy) {
    if let placeholder = SecretSearch(policy).placeholder(for: find.secret[...]) {
      add(find.secret, placeholder)
    }
    if let run = find.run, let redacted = find.redactedRun { add(run, redacted, inAllForms: false) }
  }
}
