import TapedeckHTTP

/// Recorded sequences by the bytes of their keys: a hash table with open addressing, at most half full.
struct SequenceTable: Sendable {
  private struct Place {
    var hash = 0
    /// Negative where the place is free.
    var entry = -1
  }

  private let entries: [(key: MatchKey, sequence: InteractionSequence)]
  private let places: [Place]

  init(_ sequences: [MatchKey: InteractionSequence]) {
    entries = sequences.map { ($0.key, $0.value) }
    var size = 2
    while size < 2 * entries.count { size *= 2 }
    var places = Array(repeating: Place(), count: size)
    for (index, entry) in entries.enumerated() {
      let hash = Self.hash(entry.key.bytes)
      var place = hash & (size - 1)
      while places[place].entry >= 0 { place = (place + 1) & (size - 1) }
      places[place] = Place(hash: hash, entry: index)
    }
    self.places = places
  }

  var all: some Collection<InteractionSequence> { entries.lazy.map(\.sequence) }

  func sequence(for key: [UInt8]) -> InteractionSequence? {
    let hash = Self.hash(key)
    var place = hash & (places.count - 1)
    while places[place].entry >= 0 {
      if places[place].hash == hash, entries[places[place].entry].key.bytes == key {
        return entries[places[place].entry].sequence
      }
      place = (place + 1) & (places.count - 1)
    }
    return nil
  }

  /// Seeded in every process, as clients choose the keys.
  private static func hash(_ key: [UInt8]) -> Int {
    var hasher = Hasher()
    key.withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }
}
