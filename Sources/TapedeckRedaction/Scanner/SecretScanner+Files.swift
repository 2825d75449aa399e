import TapedeckHTTP

/// Files of any kind: JSON by its members, all else as text, gzip as what is in it.
extension SecretScanner {
  private static let maximumJSONBytes = 64 << 20

  /// - Parameter file: its name, for what is told.
  package func finds(in bytes: [UInt8], file: String) -> [SecretFind] {
    if bytes.starts(with: [0x1F, 0x8B]), let inner = BodyCoding.gzip.decoded(bytes[...]) {
      return finds(in: inner, file: file)
    }
    if let first = bytes.first(where: { !ASCII.isSpace($0) }),
      first == UInt8(ascii: "{") || first == UInt8(ascii: "["),
      bytes.count <= Self.maximumJSONBytes, let tree = try? JSONValue(parsing: bytes)
    {
      return TreeScan(self, tree, at: "").found.map { SecretFind(file: file, $0) }
    }
    var lines = LineCounter(bytes)
    let found = scan(bytes[...])
    return zip(found, placed(found, in: bytes[...], at: "")).map { raw, placed in
      SecretFind(file: file, line: lines.line(of: raw.range.lowerBound), placed)
    }
  }
}

/// Counts lines on the way forward.
private struct LineCounter {
  private let bytes: [UInt8]
  private var offset = 0
  private var number = 1

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func line(of place: Int) -> Int {
    if place < offset { (offset, number) = (0, 1) }
    number += bytes[offset..<place].count { $0 == 0x0A }
    offset = place
    return number
  }
}
