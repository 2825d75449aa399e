import TapedeckHTTP

/// The sequences that requests with a body have got, one cache per event loop: a fast path beside
/// `RequestMatcher.write`. A request that equals an earlier one in every byte its key is made of skips redaction and
/// the canonical form. The key is a function of these bytes and of the cassette, so the outcome is equal.
///
/// Requests are kept as they came, in memory alone, and compared byte by byte. The hash only finds the place, so that
/// a client who chooses bodies with equal hashes makes the cache useless, and nothing else.
package final class SequenceCache {
  /// Switches the fast path off.
  private static let isUsed = true
  /// When the requests take more, the cache starts anew.
  private static let maximumBytes = 8 << 20
  private static let maximumRequestBytes = 1 << 20
  private static let placeCount = 4096
  /// How many places a request may take, from the one that its hash names.
  private static let ways = 8

  /// An object, so that a comparison copies no request.
  private final class Entry {
    let hash: UInt64
    /// `Cassette.number`.
    let cassette: Int
    let index: Int
    let request: HTTPRequest

    init(hash: UInt64, cassette: Int, index: Int, request: HTTPRequest) {
      (self.hash, self.cassette, self.index, self.request) = (hash, cassette, index, request)
    }
  }

  private let seed = UInt64.random(in: .min ... .max)
  // Nobody who is called while these are used comes back here.
  @exclusivity(unchecked) private var entries: [Entry?] = []
  /// Of all requests kept since the cache began anew.
  @exclusivity(unchecked) private var bytes = 0

  package init() {}

  /// The index that an equal request got from the cassette of this number; `nil` when it is not known.
  func index(for request: HTTPRequest, in cassette: Int) -> Int? {
    guard !entries.isEmpty else { return nil }
    let hash = hash(of: request)
    for place in places(of: hash) {
      if let entry = entries[place], entry.hash == hash, entry.cassette == cassette,
        entry.request.hasKeyBytes(of: request)
      {
        return entry.index
      }
    }
    return nil
  }

  /// Remembers what a request got.
  /// - Parameter recorded: a body to share memory with, if it is the same.
  func keep(_ index: Int, for request: HTTPRequest, in cassette: Int, recorded: [UInt8]) {
    var request = request
    var count = request.target.count + request.authority.count + request.fields.byteCount
    if Self.equal(request.body, recorded) { request.body = recorded } else { count += request.body.count }
    guard count <= Self.maximumRequestBytes else { return }
    if entries.isEmpty || bytes + count > Self.maximumBytes {
      entries = Array(repeating: nil, count: Self.placeCount + Self.ways)
      bytes = 0
    }
    let hash = hash(of: request)
    let places = places(of: hash)
    let place = places.first { entries[$0] == nil } ?? places.lowerBound + Int(hash >> 61)
    bytes += count
    entries[place] = Entry(hash: hash, cassette: cassette, index: index, request: request)
  }

  /// Whether requests of this kind are kept. Those without a body have a key that is written faster.
  static func keeps(_ request: HTTPRequest) -> Bool {
    isUsed && !request.body.isEmpty && request.trailers.isEmpty
  }

  private func places(of hash: UInt64) -> Range<Int> {
    let first = Int(hash & UInt64(Self.placeCount - 1))
    return first..<first + Self.ways
  }

  private func hash(of request: HTTPRequest) -> UInt64 {
    let body = request.body.withUnsafeBytes { Self.mix($0, into: seed) }
    return request.target.withUnsafeBytes { Self.mix($0, into: body) }
  }

  private static func mix(_ bytes: UnsafeRawBufferPointer, into seed: UInt64) -> UInt64 {
    var hash = seed ^ UInt64(bytes.count)
    var index = 0
    while index + 16 <= bytes.count {
      let left = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      let right = bytes.loadUnaligned(fromByteOffset: index + 8, as: UInt64.self)
      hash = product(left ^ hash, right ^ 0x9E37_79B9_7F4A_7C15)
      index += 16
    }
    while index < bytes.count {
      hash = (hash ^ UInt64(bytes[index])) &* 0x0000_0100_0000_01B3
      index += 1
    }
    return product(hash ^ seed, 0xE703_7ED1_A0B4_28DB)
  }

  fileprivate static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count
      && left.withUnsafeBytes { left in right.withUnsafeBytes { left.holds($0) } }
  }

  private static func product(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let (high, low) = left.multipliedFullWidth(by: right)
    return high ^ low
  }
}

extension HTTPRequest {
  /// Whether all is equal that a `MatchKey` may depend on, given that neither has trailers.
  fileprivate func hasKeyBytes(of other: HTTPRequest) -> Bool {
    method == other.method && scheme == other.scheme && fields.hasSameBytes(as: other.fields)
      && SequenceCache.equal(target, other.target) && SequenceCache.equal(authority, other.authority)
      && SequenceCache.equal(body, other.body)
  }
}
