/// The heads of earlier requests, one cache per event loop: a fast path beside `HeadScanner` and `RequestFields`. Bytes
/// that begin with those of an earlier head are the same head, because its first blank line is its end, and a parsed head
/// is a function of its bytes and the limits; so the outcome is equal.
///
/// A head is kept when it comes for the second time, so that what is new in every request fills no memory. Heads are
/// found by the hash of their request line, and compared byte by byte.
package final class HeadCache {
  /// Switches the fast path off.
  private static let isUsed = true
  /// When the heads take more, the cache starts anew.
  private static let maximumBytes = 4 << 20
  private static let maximumHeadBytes = 8 << 10

  private struct Entry {
    /// The request line with its CRLF.
    let line: [UInt8]
    let head: HTTPRequest.SharedHead

    /// Whether `bytes` begin with this head, when their request line has `lineBytes`.
    func begins(_ bytes: UnsafeRawBufferPointer, lineBytes: Int) -> Bool {
      line.count == lineBytes && line.withUnsafeBytes { bytes.holds($0) }
        && head.received.fieldLines.withUnsafeBytes { bytes.holds($0, at: lineBytes) }
    }
  }

  package let limits: HTTPLimits
  private let seed = UInt64.random(in: .min ... .max)
  // Nobody who is called while these are used comes back here.
  @exclusivity(unchecked) private var heads = AssociativeCache<Entry>()
  /// The hashes of heads that have come once.
  @exclusivity(unchecked) private var seen = AssociativeCache<Void>()
  /// Of all heads kept since the cache began anew.
  @exclusivity(unchecked) private var bytes = 0
  /// The field lines of the last head, which the next one often shares.
  @exclusivity(unchecked) private var lastFields: RequestFields?

  package init(_ limits: HTTPLimits) { self.limits = limits }

  /// The head that `bytes` begin with, if it has come before.
  func head(at bytes: UnsafeRawBufferPointer) -> HTTPRequest.SharedHead? {
    guard !heads.isEmpty, let line = ASCII.firstLineFeed(bytes, from: 0) else { return nil }
    return heads.first(hash(bytes, line + 1)) { entry in
      entry?.begins(bytes, lineBytes: line + 1) == true ? entry?.head : nil
    }
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
  func note(_ bytes: UnsafeRawBufferPointer, _ head: HTTPRequest.SharedHead) {
    guard Self.isUsed, bytes.count <= Self.maximumHeadBytes else { return }
    let whole = hash(bytes, bytes.count)
    guard seen.first(whole, choose: { _ in true }) == true else { return seen.keep((), whole) }
    if self.bytes + 2 * bytes.count > Self.maximumBytes {
      heads.removeAll()
      self.bytes = 0
    }
    // Its own bytes, and those of its target and fields.
    self.bytes += 2 * bytes.count
    let line = bytes.dropLast(head.received.fieldLines.count)
    heads.keep(Entry(line: Array(line), head: head), hash(bytes, line.count))
  }

  private func hash(_ bytes: UnsafeRawBufferPointer, _ count: Int) -> UInt64 {
    UnsafeRawBufferPointer(rebasing: bytes[..<count]).hash(seed: seed)
  }
}
