import TapedeckHTTP
import TapedeckRedaction

/// Writes the components of a match key one behind the other, each with its length first. A writer that is used again
/// keeps its memory, so that looking up a request without query and body costs no allocation.
package struct KeyWriter {
  package private(set) var bytes: [UInt8] = []
  /// How many of the bytes are the key of the plain variant.
  private(set) var plainCount = 0

  package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    plainCount = 0
  }

  /// The key of the plain variant ends here.
  mutating func endPlain() { plainCount = bytes.count }

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
    bytes.append(contentsOf: component)
  }

  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      append(count: bytes.count)
      self.bytes.append(contentsOf: bytes)
    }
  }

  mutating func append(components: [some Collection<UInt8>]) {
    append(count: components.count)
    for component in components { append(component) }
  }

  mutating func append(pairs: [FormPairs.Pair]) {
    append(count: pairs.count)
    for pair in pairs {
      append(pair.name)
      append(pair.value)
    }
  }

  /// The kind of the body, and the digest of its canonical form, so that a key stays small.
  mutating func append(bodyOf request: HTTPRequest, _ rules: MatchRules) {
    guard !request.body.isEmpty else { return bytes.append(CanonicalBody.Kind.none.rawValue) }
    let body = CanonicalBody(request, rules)
    bytes.append(body.kind.rawValue)
    if body.kind != .none { bytes += SHA256Digest(of: body.bytes).bytes }
  }
}
