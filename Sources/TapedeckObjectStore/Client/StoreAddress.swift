internal import TapedeckHTTP

/// The place of a cassette in an object store: `s3://bucket/prefix`.
package struct StoreAddress: Hashable, Sendable, CustomStringConvertible {
  package static let scheme = "s3://"

  package let bucket: String
  /// Without slashes at its ends; may be empty.
  package let prefix: String

  /// Whether a word of a command line names a place in an object store.
  package static func isMeant(by text: String) -> Bool { text.prefix(scheme.count).lowercased() == scheme }

  /// - Throws: `malformedAddress` for a bucket or prefix that stores do not take, or that would not stay what it is in a
  ///   URL.
  package init(_ text: String) throws(StoreError) {
    let parts = text.dropFirst(Self.scheme.count).split(
      separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let bucket = parts.first.map(String.init) ?? ""
    let rest = parts.count > 1 ? parts[1] : ""
    let prefix = rest.hasSuffix("/") ? rest.dropLast() : rest
    let isBucket = bucket.utf8.allSatisfy { ASCII.isWord($0) || $0 == UInt8(ascii: ".") }
    let segments = prefix.split(separator: "/", omittingEmptySubsequences: false)
    let arePlain = segments.allSatisfy { segment in
      !segment.isEmpty && segment != "." && segment != ".."
        && segment.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
    guard Self.isMeant(by: text), isBucket, (3...255).contains(bucket.utf8.count), !bucket.contains(".."),
      rest.isEmpty || arePlain, prefix.utf8.count <= 800
    else { throw StoreError(text, .malformedAddress) }
    (self.bucket, self.prefix) = (bucket, String(prefix))
  }

  package var description: String { prefix.isEmpty ? "s3://\(bucket)" : "s3://\(bucket)/\(prefix)" }

  /// The key of an object of the cassette.
  func key(_ name: String) -> String { prefix.isEmpty ? name : "\(prefix)/\(name)" }

  /// The object of a key, for messages.
  func place(of key: String) -> String { key.isEmpty ? "s3://\(bucket)" : "s3://\(bucket)/\(key)" }
}
