import Synchronization
import TapedeckHTTP

/// The secrets of a session so far. What one exchange reveals is hidden in all of them when the session is
/// sealed, because at replay the client can only send the placeholder.
package final class SecretMemory: Sendable {
  private let state = Mutex(KnownSecrets())
  /// Secrets that the user gave, which are hidden in every exchange at once.
  private let given = Mutex(KnownSecrets())

  package init() {}

  package var known: KnownSecrets { state.withLock { $0 } }

  package var givenSecrets: KnownSecrets { given.withLock { $0 } }

  package func add(_ known: KnownSecrets) {
    guard !known.isEmpty else { return }
    state.withLock { $0.add(known) }
  }

  package func copies(in text: ArraySlice<UInt8>) -> Finds {
    state.withLock { $0.copies(in: text) }
  }
}

extension SecretMemory {
  /// The shortest secret that is hidden by value because only the scanner takes it for one.
  private static let minimumScannedBytes = 12

  /// Adds a secret that the user gave, whatever it looks like.
  package func add(certain secret: [UInt8], _ policy: RedactionPolicy) {
    let search = SecretSearch(policy)
    guard let placeholder = search.placeholder(for: secret[...], isCopied: false, isKeepable: false) else {
      return
    }
    state.withLock { $0.addCertain(secret, placeholder) }
    given.withLock { $0.addCertain(secret, placeholder) }
  }

  /// Adds a find of a scanner with the same key: the secret, and the base64 that contained it.
  package func add(_ find: SecretFind, _ policy: RedactionPolicy) {
    let placeholder = SecretSearch(policy).placeholder(for: find.secret[...])
    state.withLock { known in
      if let placeholder, find.secret.count >= Self.minimumScannedBytes {
        known.addCertain(find.secret, placeholder)
      }
      if let run = find.run, let redacted = find.redactedRun {
        known.addCertain(run, redacted, inAllForms: false)
      }
    }
  }
}
