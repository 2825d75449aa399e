/// A host, or with `*` many, and perhaps a port: `api.example.com`, `*.example.com:8443`, `10.0.0.*`.
package struct HostPattern: Sendable, Equatable, CustomStringConvertible {
  /// As it was written, in lower case.
  package let description: String
  private let pieces: [[UInt8]]
  private let port: UInt16?

  /// `nil` for what is no host.
  package init?(_ text: String) {
    description = text.lowercased()
    let bytes = Array(description.utf8)
    let isAllowed = bytes.allSatisfy {
      ASCII.isWord($0) || ".*:[]".utf8.contains($0)
    }
    guard !bytes.isEmpty, isAllowed else { return nil }
    let end = bytes.first == UInt8(ascii: "[") ? bytes.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 } : nil
    let colon = bytes[(end ?? 0)...].firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex
    // Brackets only around an address.
    guard colon > 0, end.map({ $0 == colon }) ?? !bytes[..<colon].contains(where: "[]".utf8.contains) else {
      return nil
    }
    if colon < bytes.endIndex {
      guard let port = UInt16(String(decoding: bytes[(colon + 1)...], as: UTF8.self)), port > 0 else {
        return nil
      }
      self.port = port
    } else {
      port = nil
    }
    pieces = bytes[..<colon].split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(
      Array.init)
  }

  /// Whether it names one host, without `*`.
  package var isExact: Bool { pieces.count == 1 }

  /// Whether an origin has this host, and this port if there is one.
  package func matches(_ origin: HTTPOrigin) -> Bool {
    guard port == nil || port == origin.port else { return false }
    let host = Array(origin.host.utf8)
    guard pieces.count > 1 else { return pieces.first == host }
    guard let first = pieces.first, let last = pieces.last, host.starts(with: first),
      host.count >= first.count + last.count, host.suffix(last.count).elementsEqual(last)
    else { return false }
    var rest = host[first.count..<(host.count - last.count)]
    for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
      guard let range = rest.firstRange(of: piece) else { return false }
      rest = rest[range.upperBound...]
    }
    return true
  }
}
