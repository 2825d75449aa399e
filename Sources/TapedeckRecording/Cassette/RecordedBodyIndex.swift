import TapedeckHTTP

/// Finds the recorded request of which a request repeats target and body byte for byte, made when the cassette is
/// loaded: a fast path beside `RequestMatcher.write`. It may skip redaction, the canonical form and its digest, because
/// `RequestMatcher.repeats` has seen that all that a key is made of is equal; so the outcome is equal.
///
/// The hash only finds the place, and bytes are compared.
struct RecordedBodyIndex: Sendable {
  /// Switches the fast path off.
  private static let isUsed = true
  /// Requests with these bytes that differ in other parts are tried up to this number.
  private static let maximumSharing = 8

  private struct Place {
    var hash: UInt64 = 0
    /// The offset in `interactions`; negative in a free place.
    var interaction: Int32 = -1
    /// The index of its sequence.
    var sequence: Int32 = -1
  }

  private let seed = UInt64.random(in: .min ... .max)
  private let interactions: [StoredInteraction]
  /// With open addressing, at most half full; empty when there are no bodies.
  private var places: [Place] = []

  init(_ interactions: [StoredInteraction], sequence: (MatchKey) -> Int?) {
    self.interactions = interactions
    let offsets = interactions.indices.filter { Self.has(interactions[$0]) }
    guard Self.isUsed, !offsets.isEmpty, interactions.count <= Int32.max else { return }
    var size = 2
    while size < 2 * offsets.count { size *= 2 }
    places = Array(repeating: Place(), count: size)
    for offset in offsets {
      guard let sequence = sequence(interactions[offset].key) else { continue }
      add(offset, sequence)
    }
  }

  private static func has(_ interaction: StoredInteraction) -> Bool {
    !interaction.requestBody.isEmpty && interaction.key.isVerbatim
  }

  private mutating func add(_ offset: Int, _ sequence: Int) {
    let hash = hash(of: interactions[offset].recorded.request)
    var sharing = 0
    var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
    while places[place].interaction >= 0 {
      if places[place].hash == hash { sharing += 1 }
      place = (place + 1) & (places.count - 1)
    }
    guard sharing < Self.maximumSharing else { return }
    places[place] = Place(hash: hash, interaction: Int32(offset), sequence: Int32(sequence))
  }

  /// The index of the sequence that a request gets; `nil` when only its key can tell.
  func sequence(for request: HTTPRequest, _ matcher: RequestMatcher) -> Int? {
    guard !places.isEmpty else { return nil }
    let hash = hash(of: request)
    var place = Int(truncatingIfNeeded: hash) & (places.count - 1)
    while places[place].interaction >= 0 {
      if places[place].hash == hash,
        matcher.repeats(interactions[Int(places[place].interaction)].recorded.request, request)
      {
        return Int(places[place].sequence)
      }
      place = (place + 1) & (places.count - 1)
    }
    return nil
  }

  private func hash(of request: HTTPRequest) -> UInt64 {
    let body = request.body.withUnsafeBytes { $0.hash(seed: seed) }
    return request.target.withUnsafeBytes { $0.hash(seed: body) }
  }
}
