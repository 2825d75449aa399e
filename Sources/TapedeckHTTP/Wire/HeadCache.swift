/// The heads of earlier requests, one cache per event loop: a fast path beside `HeadScanner` and `RequestFields`. Bytes
/// that begin with those of an earlier head are the same head, because its first blank line is its end, and a parsed head
/// is a function of its bytes and the limits; so the outcome is equal.
///
/// A head is kept when it comes for the second time, so that what is new in every request fills no memory. Heads are
/// compared byte by byte: the hash only finds the place, so that a client who chooses equal hashes makes the cache
/// useless, and nothing else.
package final class HeadCache {
  /// Switches the fast path off.
  private static let isUsed = true
  /// When the heads take more, the cache starts anew.
  private static let maximumBytes = 4 << 20
  private static let maximumHeadBytes = 8 << 10
  private static let placeCount = 4096
  /// How many places a head may take, from the one that the hash of its request line names.
  private static let ways = 4

  package let limits: HTTPLimits
  private let seed = UInt64.random(in: .min ... .max)
  // Nobody who is called while these are used comes back here.
  /// The hashes of the request lines in `heads`; 0 in a free place.
  @exclusivity(unchecked) private var hashes: [UInt64] = []
  @exclusivity(unchecked) private var heads: [ParsedHead?] = []
  /// The hashes of heads that have come once.
  @exclusivity(unchecked) private var seen: [UInt64] = []
  /// Of all heads kept since the cache began anew.
  @exclusivity(unchecked) private var bytes = 0
  /// The field lines of the last head, which the next one often shares.
  @exclusivity(unchecked) private var lastFields: RequestFields?

  package init(_ limits: HTTPLimits) { self.limits = limits }

  /// The head that `bytes` begin with, if it has come before.
  func head(at bytes: UnsafeRawBufferPointer) -> ParsedHead? {
    guard !hashes.isEmpty, let hash = lineHash(bytes) else { return nil }
    var place = Self.place(of: hash)
    let end = place + Self.ways
    // Places are taken in their order, and none is freed.
    while place < end, hashes[place] != 0 {
      if hashes[place] == hash, let head = heads[place], head.bytes.withUnsafeBytes({ bytes.holds($0) }) {
        return head
      }
      place += 1
    }
    return nil
  }

  /// The field lines of a head, parsed unless they are those of the last one.
  func fields(
    _ lines: UnsafeRawBufferPointer, count: Int, version: HTTPVersion
  ) throws(HTTPParseError) -> RequestFields {
    if let last = lastFields, last.version == version, last.fields.storage.count == lines.count,
      last.fields.storage.withUnsafeBytes({ lines.holds($0) })
    {
      return last
    }
    let fields = try RequestFields(lines, count: count, version: version, limits: limits)
    lastFields = lines.count <= Self.maximumHeadBytes ? fields : nil
    return fields
  }

  /// Keeps a head that has come once before, and notes any other.
  func note(_ bytes: UnsafeRawBufferPointer, _ head: ParsedHead) {
    guard Self.isUsed, bytes.count <= Self.maximumHeadBytes, let line = lineHash(bytes) else { return }
    let whole = bytes.hash(seed: seed) | 1
    guard hasSeen(whole) else { return }
    if hashes.isEmpty || self.bytes + 2 * bytes.count > Self.maximumBytes {
      hashes = Array(repeating: 0, count: Self.placeCount + Self.ways)
      heads = Array(repeating: nil, count: hashes.count)
      self.bytes = 0
    }
    let place = Self.free(in: hashes, for: line, whole)
    // Its own bytes, and those of its target and fields.
    self.bytes += 2 * bytes.count
    hashes[place] = line
    heads[place] = head.keeping(bytes)
  }

  /// Whether a head with this hash has come before; from now on it has.
  private func hasSeen(_ hash: UInt64) -> Bool {
    if seen.isEmpty { seen = Array(repeating: 0, count: Self.placeCount + Self.ways) }
    let first = Self.place(of: hash >> 1)
    if seen[first..<first + Self.ways].contains(hash) { return true }
    seen[Self.free(in: seen, for: hash >> 1, hash)] = hash
    return false
  }

  /// A free place for a hash, or one to be taken from another.
  private static func free(in hashes: [UInt64], for hash: UInt64, _ choice: UInt64) -> Int {
    let first = place(of: hash)
    return (first..<first + ways).first { hashes[$0] == 0 } ?? first + Int(choice >> 32) % ways
  }

  private static func place(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (placeCount - 1) }

  /// Of the first line, never 0; `nil` if it is incomplete.
  private func lineHash(_ bytes: UnsafeRawBufferPointer) -> UInt64? {
    guard let end = ASCII.firstLineFeed(bytes, from: 0) else { return nil }
    return UnsafeRawBufferPointer(rebasing: bytes[..<end]).hash(seed: seed) | 1 << 63
  }
}
