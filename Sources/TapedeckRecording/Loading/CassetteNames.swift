package import TapedeckHTTP
package import TapedeckRedaction

/// The names of interaction files: made from the request, so that the same session gives the same names, and read
/// only for the ordinal.
package enum CassetteNames {
  package static let manifest = "cassette.json"
  package static let journal = "journal.jsonl"
  static let suffix = ".json"
  /// How many digits of the key's digest a name carries; more only where fewer would make two keys one.
  static let digestDigits = [6, 12, 64]
  /// The largest number that is read as an ordinal, far from where adding to it would overflow.
  static let maximumOrdinal = 999_999_999
  private static let maximumSlugBytes = 60
  private static let maximumMethodBytes = 20
  private static let maximumOperationBytes = 40

  /// Whether a name in the directory is one of an interaction.
  package static func isInteraction(_ name: String) -> Bool {
    let bytes = name.utf8
    return bytes.first != UInt8(ascii: ".") && bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
      && name != manifest
  }

  /// The part of a name that describes the request: `get-users-octocat`, with the operation where one URL serves many:
  /// `post-graphql-getuser`.
  package static func prefix(of request: HTTPRequest) -> String {
    let path = prefix(method: request.method, path: request.path)
    let operation = slug(
      Array((RequestOperation.name(of: request) ?? "").utf8)[...], limit: maximumOperationBytes)
    return operation.isEmpty || path.hasSuffix("-\(operation)") ? path : "\(path)-\(operation)"
  }

  private static func prefix(method: HTTPMethod, path: ArraySlice<UInt8>) -> String {
    let method = slug(Array(method.rawValue.utf8)[...], limit: maximumMethodBytes)
    let path = slug(path, limit: maximumSlugBytes)
    return "\(method.isEmpty ? "method" : method)-\(path.isEmpty ? "root" : path)"
  }

  /// Runs of letters and digits in lower case, joined by `-`.
  private static func slug(_ text: ArraySlice<UInt8>, limit: Int) -> String {
    var out: [UInt8] = []
    out.reserveCapacity(min(text.count, limit))
    for byte in text.lazy.map(ASCII.lowercased) {
      guard out.count < limit else { break }
      if ASCII.isDigit(byte) || byte &- 0x61 < 26 {
        out.append(byte)
      } else if let last = out.last, last != UInt8(ascii: "-") {
        out.append(UInt8(ascii: "-"))
      }
    }
    if out.last == UInt8(ascii: "-") { out.removeLast() }
    return String(decoding: out, as: UTF8.self)
  }

  /// The name of a response by its place among those to one key, counted from 1.
  package static func name(stem: String, ordinal: Int) -> String {
    ordinal == 1 ? stem + suffix : "\(stem).\(ordinal)\(suffix)"
  }

  /// The stems a key may have, the shortest first.
  package static func stems(of digest: SHA256Digest, prefix: String) -> [String] {
    let hex = digest.hex
    return digestDigits.map { "\(prefix)-\(hex.prefix($0))" }
  }

  /// The stem for a key: one it owns already, else the shortest that no other key owns.
  /// - Parameter isFree: whether the names under a stem may be taken.
  package static func stem(
    of digest: SHA256Digest, prefix: String, owners: [String: SHA256Digest],
    where isFree: (String) -> Bool = { _ in true }
  ) -> String {
    let stems = stems(of: digest, prefix: prefix).filter(isFree)
    return stems.first { owners[$0] == digest } ?? stems.first { owners[$0] == nil }
      ?? "\(prefix)-\(digest.hex)"
  }

  /// A name without its description of the request, for messages where that is a secret: `get-…-3f9a1c.json`.
  static func masked(_ name: String) -> String {
    let parts = name.split(separator: "-")
    guard parts.count > 2, let first = parts.first, let last = parts.last else { return "…\(suffix)" }
    return "\(first)-…-\(last)"
  }

  /// The ordinal in a name, 1 where none is written, and the stem before it.
  package static func parse(_ name: String) -> (stem: String, ordinal: Int) {
    let (stem, ordinal) = split(name)
    return (String(Substring(stem)), ordinal)
  }

  static func ordinal(_ name: String) -> Int { split(name).ordinal }

  private static func split(_ name: String) -> (stem: Substring.UTF8View, ordinal: Int) {
    let stem = name.utf8.dropLast(suffix.utf8.count)
    guard let dot = stem.lastIndex(of: UInt8(ascii: ".")),
      let ordinal = Int(Substring(stem[dot...].dropFirst())),
      ordinal > 1, ordinal <= maximumOrdinal, stem[dot...].elementsEqual(".\(ordinal)".utf8)
    else { return (stem, 1) }
    return (stem[..<dot], ordinal)
  }
}
