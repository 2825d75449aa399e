package import TapedeckHTTP
package import TapedeckRedaction

/// The names of interaction files, derived from the request, so that the same session gives the same names. In a
/// cassette of several origins, a name begins with the folder of the origin's host.
package enum CassetteNames {
  package static let manifest = "cassette.json"
  package static let journal = "journal.jsonl"
  static let suffix = ".json"
  /// The numbers of key digest digits in a name; longer only if shorter ones are ambiguous.
  static let digestDigits = [6, 12, 64]
  /// The largest number read as an ordinal, far below overflow.
  static let maximumOrdinal = 999_999_999
  private static let maximumSlugBytes = 60
  private static let maximumMethodBytes = 20
  private static let maximumOperationBytes = 40

  package static func isInteraction(_ name: String) -> Bool {
    let bytes = name.utf8
    return bytes.first != UInt8(ascii: ".") && bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
      && name != manifest
  }

  /// The request's description in a name: `get-users-octocat`, or with an operation `post-graphql-getuser`; in
  /// the folder of its origin if it names one, `api.github.com/get-users-octocat`.
  package static func prefix(of request: HTTPRequest) -> String {
    let description = description(of: request)
    guard request.namesOrigin, let origin = request.origin else { return description }
    return "\(folder(of: origin))/\(description)"
  }

  private static func description(of request: HTTPRequest) -> String {
    let method = slug(Array(request.method.rawValue.utf8)[...], limit: maximumMethodBytes)
    let slug = slug(request.path, limit: maximumSlugBytes)
    let path = "\(method.isEmpty ? "method" : method)-\(slug.isEmpty ? "root" : slug)"
    let operation = Self.slug(
      Array((RequestOperation.name(of: request) ?? "").utf8)[...], limit: maximumOperationBytes)
    return operation.isEmpty || path.hasSuffix("-\(operation)") ? path : "\(path)-\(operation)"
  }

  /// Runs of letters and digits in lower case, joined by `-`.
  private static func slug(_ text: ArraySlice<UInt8>, limit: Int) -> String {
    var out: [UInt8] = []
    out.reserveCapacity(min(text.count, limit))
    for byte in text.lazy.map(ASCII.lowercased) {
      guard out.count < limit else { break }
      if ASCII.isAlphanumeric(byte) {
        out.append(byte)
      } else if let last = out.last, last != UInt8(ascii: "-") {
        out.append(UInt8(ascii: "-"))
      }
    }
    if out.last == UInt8(ascii: "-") { out.removeLast() }
    return String(decoding: out, as: UTF8.self)
  }

  /// The file name of a key's response, with its ordinal from 1.
  package static func name(stem: String, ordinal: Int) -> String {
    ordinal == 1 ? stem + suffix : "\(stem).\(ordinal)\(suffix)"
  }

  package static func stems(of digest: SHA256Digest, prefix: String) -> [String] {
    let hex = digest.hex
    return digestDigits.map { "\(prefix)-\(hex.prefix($0))" }
  }

  /// The stem for a key: one it owns already, else the shortest that no other key owns.
  /// - Parameter isFree: whether the names under a stem are available.
  package static func stem(
    of digest: SHA256Digest, prefix: String, owners: [String: SHA256Digest],
    where isFree: (String) -> Bool = { _ in true }
  ) -> String {
    let stems = stems(of: digest, prefix: prefix).filter(isFree)
    return stems.first { owners[$0] == digest } ?? stems.first { owners[$0] == nil }
      ?? "\(prefix)-\(digest.hex)"
  }

  /// A name without its request description, for messages where that is a secret: `get-…-3f9a1c.json`.
  static func masked(_ name: String) -> String {
    let leaf = ForeignFile.leaf(of: name)
    let parts = leaf.split(separator: "-")
    guard parts.count > 2, let first = parts.first, let last = parts.last else { return "…\(suffix)" }
    return "\(name.dropLast(leaf.count))\(first)-…-\(last)"
  }

  /// The stem and the ordinal in a name; the ordinal is 1 if not written.
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

// MARK: - Folders of origins

extension CassetteNames {
  /// Long hosts are cut, which leaves room for the port in a file name of 255 bytes. The key tells origins of one
  /// folder apart.
  private static let maximumHostBytes = 200

  /// The folder of an origin's interactions: `api.github.com`, or `api.github.com_8443` where the port is not the
  /// scheme's. It is a plain name whatever the host is, and none that a cassette uses otherwise.
  package static func folder(of origin: HTTPOrigin) -> String {
    let name = origin.host.utf8.filter { !"[]".utf8.contains($0) }.prefix(maximumHostBytes).map { byte in
      ASCII.isWord(byte) || byte == UInt8(ascii: ".") ? byte : UInt8(ascii: "-")
    }
    let host = String(decoding: name, as: UTF8.self)
    let port = origin.port == origin.scheme.defaultPort ? "" : "_\(origin.port)"
    return isFolder(host + port) ? host + port : "host_\(host)\(port)_"
  }

  /// Whether a folder in a cassette may hold interactions.
  package static func isFolder(_ name: String) -> Bool {
    name.first != "." && name.first != "-" && name != BodyFile.folder && !name.isEmpty
      && !name.hasSuffix(suffix) && name != journal
  }

  /// The folders of names that lie in one.
  package static func folders(of names: [String]) -> [String] {
    Set(names.compactMap { name in name.lastIndex(of: "/").map { String(name[..<$0]) } }).sorted()
  }
}
