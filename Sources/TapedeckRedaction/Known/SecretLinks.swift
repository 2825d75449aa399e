import Synchronization
package import TapedeckHTTP

/// The placeholders in a cassette's recorded requests, to find the secrets they stand for in a request that matches no
/// recording.
///
/// A value may be hidden only because another exchange gave it away: the id in a path, that a response called
/// `session_id`. A client that already knows the value sends it as it is, and nothing in the request tells that it is a
/// secret, but the cassette has its keyed hash. Every word of the request is hashed, so this is for misses only.
package final class SecretLinks: Sendable {
  private static let minimumBytes = SecretValue.minimumLikelyBytes
  private static let maximumBytes = 4096
  /// How many words of one request are hashed.
  private static let maximumWords = 4096

  private let requests: @Sendable () -> [HTTPRequest]
  private let placeholders = Mutex<Set<[UInt8]>?>(nil)

  /// - Parameter requests: the recorded requests, asked for once, at the first miss.
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

  /// The request with placeholders for the secrets that the cassette has hashes of; `nil` when it has no such secret.
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
    for word in Self.words(of: text) {
      guard tries > 0 else { break }
      tries -= 1
      let value = DecodedText(text[word], .path).bytes
      guard let placeholder = search.placeholder(for: value, isCopied: false), known.contains(placeholder)
      else { continue }
      finds.add(word, placeholder)
    }
    return finds.isEmpty ? text : finds.applied(to: text[...])
  }

  /// The values between the marks of URLs, forms and JSON, and the words in them.
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
