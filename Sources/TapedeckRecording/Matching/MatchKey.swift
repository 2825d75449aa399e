import TapedeckHTTP
public import TapedeckRedaction

/// The identity of a request as canonical bytes, never compared as text: `é` in two encodings is distinct.
public struct MatchKey: Sendable, Hashable {
  /// Length-prefixed components, so that none run together; those of the variant are last.
  let bytes: [UInt8]
  let plainCount: UInt32
  /// Whether it was made of a request whose target and body redaction leaves as they are.
  let isVerbatim: Bool

  init(bytes: [UInt8], plainCount: UInt32, isVerbatim: Bool) {
    (self.bytes, self.plainCount, self.isVerbatim) = (bytes, plainCount, isVerbatim)
  }

  init(_ writer: KeyWriter) {
    self.init(bytes: writer.bytes, plainCount: UInt32(writer.plainCount), isVerbatim: writer.isVerbatim)
  }

  var plain: MatchKey {
    isPlain
      ? self : MatchKey(bytes: Array(bytes[..<Int(plainCount)]), plainCount: plainCount, isVerbatim: false)
  }

  var isPlain: Bool { Int(plainCount) == bytes.count }

  /// The SHA-256 of the key, used for file names.
  public var digest: SHA256Digest { SHA256Digest(of: bytes) }

  public static func == (left: MatchKey, right: MatchKey) -> Bool { left.bytes == right.bytes }

  public func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}

/// Writes the length-prefixed components of a match key. Reuse it to find simple requests without allocating.
package struct KeyWriter {
  package private(set) var bytes: [UInt8] = []
  private(set) var plainCount = 0
  fileprivate(set) var isVerbatim = false

  package init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    plainCount = 0
    isVerbatim = false
  }

  /// Notes what the plain components are made of: a request, and the same without its secrets.
  mutating func note(_ request: HTTPRequest, redacted: HTTPRequest) {
    isVerbatim = request.target == redacted.target && request.body == redacted.body
  }

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

  mutating func append(_ fields: some Sequence<RequestVariant.Field>) {
    for field in fields {
      append(field.name)
      append(components: field.values)
    }
  }

  /// Appends scheme, host in lower case, and port.
  mutating func append(originOf request: HTTPRequest) {
    let (host, port) = HTTPOrigin.split(request.authority)
    bytes.append(request.scheme == .http ? 0 : 1)
    append(host.lazy.map(ASCII.lowercased))
    append(count: Int(port ?? request.scheme.defaultPort))
  }

  /// Appends what `append(bodyOf:_:)` does for a body that is compared as bytes.
  mutating func append(bodyDigest: SHA256Digest) {
    bytes.append(CanonicalBody.Kind.bytes.rawValue)
    bytes += bodyDigest.bytes
  }

  /// Appends the kind of the body and the digest of its canonical form, which keeps keys small.
  mutating func append(bodyOf request: HTTPRequest, _ rules: MatchRules) {
    guard !request.body.isEmpty else { return bytes.append(CanonicalBody.Kind.none.rawValue) }
    let body = CanonicalBody(request, rules)
    bytes.append(body.kind.rawValue)
    if body.kind != .none { bytes += SHA256Digest(of: body.bytes).bytes }
  }
}
