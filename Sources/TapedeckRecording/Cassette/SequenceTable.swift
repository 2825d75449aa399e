import TapedeckHTTP

/// Sequences by key bytes: a hash table with open addressing, at most half full.
struct SequenceTable: Sendable {
  private let entries: [InteractionSequence]
  /// Whether the keys are the plain parts of those of the interactions.
  private let isPlain: Bool
  /// The entry's index is negative in a free place.
  private let places: [(hash: UInt32, entry: Int32)]

  init(_ sequences: [MatchKey: InteractionSequence], isPlain: Bool = false) {
    entries = Array(sequences.values)
    self.isPlain = isPlain
    var size = 2
    while size < 2 * entries.count { size *= 2 }
    var places = Array(repeating: (hash: UInt32(0), entry: Int32(-1)), count: size)
    for (index, key) in sequences.keys.enumerated() {
      let hash = Self.hash(key.bytes)
      var place = hash & (size - 1)
      while places[place].entry >= 0 { place = (place + 1) & (size - 1) }
      places[place] = (UInt32(truncatingIfNeeded: hash >> 32), Int32(index))
    }
    self.places = places
  }

  var all: some Collection<InteractionSequence> { entries }

  func sequence(for key: [UInt8]) -> InteractionSequence? { index(of: key).map(sequence(at:)) }

  /// - Parameter index: what `index(of:)` returned.
  func sequence(at index: Int) -> InteractionSequence { entries[index] }

  /// The number of the entry with this key; `nil` when there is none.
  func index(of key: [UInt8]) -> Int? {
    let hash = Self.hash(key)
    var place = hash & (places.count - 1)
    while places[place].entry >= 0 {
      if places[place].hash == UInt32(truncatingIfNeeded: hash >> 32),
        entries[Int(places[place].entry)].first.hasKey(key, isPlain: isPlain)
      {
        return Int(places[place].entry)
      }
      place = (place + 1) & (places.count - 1)
    }
    return nil
  }

  /// Seeded per process, because clients choose the keys.
  private static func hash(_ key: [UInt8]) -> Int {
    var hasher = Hasher()
    key.withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }
}
