import TapedeckRedaction

/// Writes components one behind the other, each with its length first.
struct KeyWriter {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  mutating func append(count: Int) {
    var rest = UInt(count)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  mutating func append(_ component: some Collection<UInt8>) {
    append(count: component.count)
    bytes += component
  }

  mutating func append(pairs: [FormPairs.Pair]) {
    append(count: pairs.count)
    for pair in pairs {
      append(pair.name)
      append(pair.value)
    }
  }

  /// The kind of the body, and the digest of its canonical form, so that a key stays small.
  mutating func append(_ body: CanonicalBody) {
    bytes.append(body.kind.rawValue)
    if body.kind != .none { bytes += SHA256Digest(of: body.bytes).bytes }
  }
}
