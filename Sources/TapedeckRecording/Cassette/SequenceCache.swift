import TapedeckHTTP

/// The sequences that requests have got, one cache per event loop: a fast path beside `RequestMatcher.write`. A request
/// that equals an earlier one in every byte its key is made of skips redaction and the canonical form. The key is a
/// function of these bytes and of the cassette, so the outcome is equal.
///
/// Requests are kept as they came, in memory alone, and compared byte by byte.
package final class SequenceCache {
  /// Switches the fast path off.
  private static let isUsed = true
  /// When the requests take more, the cache starts anew.
  private static let maximumBytes = 8 << 20
  private static let maximumRequestBytes = 1 << 20
  /// The header sections of the last requests kept, which later ones often share.
  private static let sharedFields = 16

  private struct Entry {
    /// `Cassette.number`.
    let cassette: Int32
    let index: Int32
    var head: HTTPRequest.SharedHead
    let body: [UInt8]
    var hint: ReplayHint?

    mutating func index(
      for request: HTTPRequest, in cassette: Int, sequence: (Int) -> InteractionSequence?
    ) -> Int? {
      hint?.prefetch()
      guard self.cassette == cassette, hasKeyBytes(of: request) else { return nil }
      if hint == nil, let sequence = sequence(Int(index)) { hint = ReplayHint(sequence, body: body) }
      return Int(index)
    }

    /// Whether all is equal that a `MatchKey` may depend on, given that neither request has trailers.
    private mutating func hasKeyBytes(of request: HTTPRequest) -> Bool {
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
  @exclusivity(unchecked) private var entries = AssociativeCache<Entry>()
  @exclusivity(unchecked) private var lastRequests: [HTTPRequest] = []
  /// Of all requests kept since the cache began anew.
  @exclusivity(unchecked) private var bytes = 0

  package init() {}

  /// The index that an equal request got from the cassette of this number; `nil` when it is not known.
  /// - Parameter sequence: that of an index, for a hint.
  func index(
    for request: HTTPRequest, in cassette: Int, sequence: (Int) -> InteractionSequence? = { _ in nil }
  ) -> Int? {
    guard !entries.isEmpty else { return nil }
    return entries.first(hash(of: request)) { $0?.index(for: request, in: cassette, sequence: sequence) }
  }

  /// Remembers what a request got.
  /// - Parameter recorded: a body to share memory with, if it is the same.
  func keep(_ index: Int, for request: HTTPRequest, in cassette: Int, recorded: [UInt8]) {
    guard let cassette = Int32(exactly: cassette), let index = Int32(exactly: index) else { return }
    var request = sharing(request)
    var count = request.target.count + request.authority.count + request.fields.byteCount
    if request.body.hasSameBytes(as: recorded) {
      request.body = recorded
    } else {
      count += request.body.count
    }
    guard count <= Self.maximumRequestBytes else { return }
    if bytes + count > Self.maximumBytes {
      entries.removeAll()
      bytes = 0
    }
    bytes += count
    entries.keep(
      Entry(cassette: cassette, index: index, head: request.shared, body: request.body), hash(of: request))
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
    let hasRoom = recorded <= AssociativeCache<Entry>.placeCount / 2
    return isUsed && !request.hasTrailers && (!request.body.isEmpty || hasRoom)
  }

  private func hash(of request: HTTPRequest) -> UInt64 {
    let target = seed ^ request.shared.targetHash
    return request.body.isEmpty ? target : request.body.withUnsafeBytes { $0.hash(seed: target) }
  }
}

extension HTTPRequestHead {
  fileprivate func hasKeyBytes(of other: HTTPRequestHead) -> Bool {
    method == other.method && scheme == other.scheme && target.hasSameBytes(as: other.target)
      && authority.hasSameBytes(as: other.authority) && fields.hasSameBytes(as: other.fields)
  }
}
