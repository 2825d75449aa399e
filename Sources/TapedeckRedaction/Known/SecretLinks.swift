import Synchronization
package import TapedeckHTTP

/// Finds secrets in a request that matches no recording, by the placeholders in the cassette's requests.
///
/// A value may be hidden only because another exchange revealed it, such as the id in a path that a response
/// called `session_id`. A client that already knows it sends it in plain form, and only the cassette's keyed
/// hash shows that it is a secret. Every word of the request is hashed, so this is used for misses only.
package final class SecretLinks: Sendable {
  private static let maximumWords = 4096

  private let requests: @Sendable () -> [HTTPRequest]
  private let placeholders = Mutex<Set<[UInt8]>?>(nil)

  /// - Parameter requests: returns the recorded requests; called once, at the first miss.
  package init(_ requests: @escaping @Sendable () -> [HTTPRequest]) { self.requests = requests }

  private var known: Set<[UInt8]> {
    placeholders.withLock { known in
      if let known { return known }
      var found: Set<[UInt8]> = []
      for request in requests() {
        for text in [request.target[...], request.body[...]] {
          for range in Placeholder.ranges(in: text) { found.insert(Array(text[range])) }
        }
      }
      known = found
      return found
    }
  }

  /// Whether no recorded request has a placeholder.
  package var isEmpty: Bool { known.isEmpty }

  /// The request with placeholders for secrets that the cassette has hashes of; `nil` when it has none.
  package func linked(_ request: HTTPRequest, _ redaction: Redaction) -> HTTPRequest? {
    guard let policy = redaction.policy else { return nil }
    let known = known
    guard !known.isEmpty else { return nil }
    let search = SecretSearch(policy)
    var tries = Self.maximumWords
    var result = request
    result.target = linked(request.target, known, search, &tries)
    result.body = linked(request.body, known, search, &tries)
    return result == request ? nil : result
  }

  private func linked(
    _ text: [UInt8], _ known: Set<[UInt8]>, _ search: SecretSearch, _ tries: inout Int
  ) -> [UInt8] {
    var finds = Finds()
    for word in SecretWords.ranges(in: text[...]) {
      guard tries > 0 else { break }
      tries -= 1
      let value = DecodedText(text[word], .path).bytes
      guard let placeholder = search.placeholder(for: value, isCopied: false) else { continue }
      // Older cassettes have the short form of a token's placeholder everywhere.
      let written = [placeholder, Placeholder.short(placeholder[...])].lazy.compactMap { $0 }
      guard let placeholder = written.first(where: known.contains) else { continue }
      finds.add(word, placeholder)
    }
    return finds.isEmpty ? text : finds.applied(to: text[...])
  }
}
