import TapedeckHTTP

/// The sequences that requests have got, one cache per event loop: a fast path beside `RequestMatcher.write`. A request
/// that equals an earlier one in every byte its key is made of skips redaction and the canonical form. The key is a
/// function of these bytes and of the cassette, so the outcome is equal.
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
  /// The header sections of the last requests kept, which later ones often share.
  private static let sharedFields = 16

  /// An object, so that a comparison copies no request.
  private final class Entry {
    /// `Cassette.number`.
    let cassette: Int
    let index: Int
    @exclusivity(unchecked) private var head: HTTPRequest.SharedHead
    private let body: [UInt8]

    init(cassette: Int, index: Int, request: HTTPRequest) {
      (self.cassette, self.index) = (cassette, index)
      (head, body) = (request.shared, request.body)
    }

    /// Whether all is equal that a `MatchKey` may depend on, given that neither request has trailers.
    func hasKeyBytes(of request: HTTPRequest) -> Bool {
      guard body.hasSameBytes(as: request.body) else { return false }
      if head === request.shared { return true }
      guard head.head.hasKeyBytes(of: request.head) else { return false }
      // So that the next comparison ends with their identity.
      head = request.shared
      return true
    }
  }

  private let seed = UInt64.random(in: .min ... .max)
  // Nobody who is called while these are used comes back here.
  /// Of the requests in `entries`; 0 in a free place.
  @exclusivity(unchecked) private var hashes: [UInt64] = []
  @exclusivity(unchecked) private var entries: [Entry?] = []
  @exclusivity(unchecked) private var lastRequests: [HTTPRequest] = []
  /// Of all requests kept since the cache began anew.
  @exclusivity(unchecked) private var bytes = 0

  package init() {}

  /// The index that an equal request got from the cassette of this number; `nil` when it is not known.
  func index(for request: HTTPRequest, in cassette: Int) -> Int? {
    guard !hashes.isEmpty else { return nil }
    let hash = hash(of: request)
    var place = Self.place(of: hash)
    let end = place + Self.ways
    // Places are taken in their order, and none is freed.
    while place < end, hashes[place] != 0 {
      if hashes[place] == hash, let entry = entries[place], entry.cassette == cassette,
        entry.hasKeyBytes(of: request)
      {
        return entry.index
      }
      place += 1
    }
    return nil
  }

  /// Remembers what a request got.
  /// - Parameter recorded: a body to share memory with, if it is the same.
  func keep(_ index: Int, for request: HTTPRequest, in cassette: Int, recorded: [UInt8]) {
    var request = sharing(request)
    var count = request.target.count + request.authority.count + request.fields.byteCount
    if request.body.hasSameBytes(as: recorded) {
      request.body = recorded
    } else {
      count += request.body.count
    }
    guard count <= Self.maximumRequestBytes else { return }
    if hashes.isEmpty || bytes + count > Self.maximumBytes {
      hashes = Array(repeating: 0, count: Self.placeCount + Self.ways)
      entries = Array(repeating: nil, count: hashes.count)
      bytes = 0
    }
    let hash = hash(of: request)
    let first = Self.place(of: hash)
    let place = (first..<first + Self.ways).first { hashes[$0] == 0 } ?? first + Int(hash >> 56 & 7)
    bytes += count
    hashes[place] = hash
    entries[place] = Entry(cassette: cassette, index: index, request: request)
  }

  /// The request with the memory of an earlier one for its header section, target and authority, where those are the
  /// same: less is held, and less is read to compare.
  private func sharing(_ request: HTTPRequest) -> HTTPRequest {
    var request = request
    if let last = lastRequests.first(where: { $0.fields.hasSameBytes(as: request.fields) }) {
      request.fields = last.fields
      if last.target.hasSameBytes(as: request.target) { request.target = last.target }
      if last.authority.hasSameBytes(as: request.authority) { request.authority = last.authority }
    } else {
      if lastRequests.count == Self.sharedFields { lastRequests.removeFirst() }
      lastRequests.append(request)
      lastRequests[lastRequests.count - 1].body = []
    }
    return request
  }

  /// Whether requests of this kind are kept. Without a body, only where the cache has room for all that were recorded:
  /// their keys are written in a sixth of what one with a body takes.
  /// - Parameter recorded: the number of interactions in the cassette.
  static func keeps(_ request: HTTPRequest, of recorded: Int) -> Bool {
    isUsed && !request.hasTrailers && (!request.body.isEmpty || recorded <= placeCount / 2)
  }

  private static func place(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (placeCount - 1) }

  /// Never 0.
  private func hash(of request: HTTPRequest) -> UInt64 {
    let target = seed ^ request.shared.targetHash
    return (request.body.isEmpty ? target : request.body.withUnsafeBytes { $0.hash(seed: target) }) | 1 << 63
  }
}

extension HTTPRequestHead {
  fileprivate func hasKeyBytes(of other: HTTPRequestHead) -> Bool {
    method == other.method && scheme == other.scheme && target.hasSameBytes(as: other.target)
      && authority.hasSameBytes(as: other.authority) && fields.hasSameBytes(as: other.fields)
  }
}
