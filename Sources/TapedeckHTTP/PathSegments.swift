/// A path, cut at its slashes; empty pieces do not count.
package struct PathSegments: Sendable {
  package let raw: [ArraySlice<UInt8>]
  /// What literals are compared with: decoded, in lower case where case does not count.
  package let keys: [ArraySlice<UInt8>]
  /// Whether something in it is percent-encoded.
  package let isEncoded: Bool

  package init(_ path: ArraySlice<UInt8>, foldsCase: Bool = false) {
    raw = path.split(separator: UInt8(ascii: "/"))
    isEncoded = path.contains(UInt8(ascii: "%"))
    guard isEncoded || foldsCase else {
      keys = raw
      return
    }
    keys = raw.map { segment in
      let decoded = PercentCoding.decode(segment)
      return (foldsCase ? Self.folded(decoded) : decoded)[...]
    }
  }

  package static func folded(_ bytes: [UInt8]) -> [UInt8] {
    bytes.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
  }

  package func text(_ index: Int) -> String { isEncoded ? Self.decoded(raw[index]) : rawText(index) }

  package func rawText(_ index: Int) -> String { String(decoding: raw[index], as: UTF8.self) }

  /// All segments from `index` on.
  package func rest(from index: Int) -> String { raw[index...].map(Self.decoded).joined(separator: "/") }

  package func rawRest(from index: Int) -> String {
    raw[index...].map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
  }

  private static func decoded(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: PercentCoding.decode(bytes), as: UTF8.self)
  }
}
