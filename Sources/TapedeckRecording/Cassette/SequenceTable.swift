import TapedeckHTTP

/// Sequences by key bytes: a hash table with open addressing, at most half full.
struct SequenceTable: Sendable {
  private let entries: [(key: MatchKey, sequence: InteractionSequence)]
  /// The entry's index is negative in a free place.
  private let places: [(hash: UInt32, entry: Int32)]

  init(_ sequences: [MatchKey: InteractionSequence]) {
    entries = sequences.map { ($0.key, $0.value) }
    var size = 2
    while size < 2 * entries.count { size *= 2 }
    var places = Array(repeating: (hash: UInt32(0), entry: Int32(-1)), count: size)
    for (index, entry) in entries.enumerated() {
      let hash = Self.hash(entry.key.bytes)
      var place = hash & (size - 1)
      while places[place].entry >= 0 { place = (place + 1) & (size - 1) }
      places[place] = (UInt32(truncatingIfNeeded: hash >> 32), Int32(index))
    }
    self.places = places
  }

  var all: some Collection<InteractionSequence> { entries.lazy.map(\.sequence) }

  func sequence(for key: [UInt8]) -> InteractionSequence? { index(of: key).map(sequence(at:)) }

  /// - Parameter index: what `index(of:)` returned.
  func sequence(at index: Int) -> InteractionSequence { entries[index].sequence }

  /// The number of the entry with this key; `nil` when there is none.
  func index(of key: [UInt8]) -> Int? {
    let hash = Self.hash(key)
    var place = hash & (places.count - 1)
    while places[place].entry >= 0 {
      if places[place].hash == UInt32(truncatingIfNeeded: hash >> 32),
        entries[Int(places[place].entry)].key.bytes.hasSameBytes(as: key)
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
