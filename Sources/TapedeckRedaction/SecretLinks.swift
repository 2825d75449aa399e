import Synchronization
package import TapedeckHTTP

/// What the recorded requests of a cassette hold in place of secrets, to find the secret itself in a request that
/// matches nothing.
///
/// A value that no name gives away is hidden in a recording because something else of the session gave it away: a path
/// with the id that an answer called `session_id`. A client that knows the value beforehand sends it as it is, and
/// nothing in the request says so; but its keyed hash is in the cassette. This looks at every word of the request, so it
/// is for a miss only.
package final class SecretLinks: Sendable {
  private static let minimumBytes = SecretValue.minimumLikelyBytes
  private static let maximumBytes = 4096
  /// How many words of one request are tried.
  private static let maximumWords = 4096

  private let requests: @Sendable () -> [HTTPRequest]
  private let placeholders = Mutex<Set<[UInt8]>?>(nil)

  /// - Parameter requests: the recorded ones, asked for once and when they are needed.
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

  /// Whether no recording hides a secret that a request could hold.
  package var isEmpty: Bool { known.isEmpty }

  /// The request with what the cassette knows by its hash hidden; nil when there is nothing of that in it.
  package func linked(_ request: HTTPRequest, _ redaction: Redaction) -> HTTPRequest? {
    guard let policy = redaction.policy else { return nil }
    let known = known
    guard !known.isEmpty else { return nil }
    let pass = RedactionPass(policy)
    var tries = Self.maximumWords
    var result = request
    result.target = hidden(request.target, known, pass, &tries)
    result.body = hidden(request.body, known, pass, &tries)
    return result == request ? nil : result
  }

  private func hidden(
    _ text: [UInt8], _ known: Set<[UInt8]>, _ pass: RedactionPass, _ tries: inout Int
  ) -> [UInt8] {
    var edits = TextEdits()
    for word in Self.words(of: text) {
      guard tries > 0 else { break }
      tries -= 1
      let value = DecodedText(text[word], .path).bytes
      guard let placeholder = pass.placeholder(for: value, isCopied: false), known.contains(placeholder)
      else { continue }
      edits.add(word, placeholder)
    }
    return edits.isEmpty ? text : edits.applied(to: text[...])
  }

  /// Values between the marks of URLs, forms and JSON, and the words they are made of.
  private static func words(of text: [UInt8]) -> [Range<Int>] {
    var words: [Range<Int>] = []
    for value in text.split(whereSeparator: { $0 <= 0x20 || "/?&=;,\"'(){}[]<>|\\".utf8.contains($0) }) {
      guard (minimumBytes...maximumBytes).contains(value.count),
        Placeholder.end(in: value, at: value.startIndex) == nil
      else { continue }
      words.append(value.startIndex..<value.endIndex)
      let parts = value.split { !ASCII.isAlphanumeric($0) }
      guard parts.count > 1 else { continue }
      words += parts.filter { $0.count >= minimumBytes }.map { $0.startIndex..<$0.endIndex }
    }
    return words
  }
}
