import TapedeckHTTP

/// Recorded sequences, to be found by the bytes of a key wherever they lie: a table with open places, at least half of
/// which stay free.
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
      let hash = entry.key.bytes.withUnsafeBytes(Self.hash)
      var place = hash & (size - 1)
      while places[place].entry >= 0 { place = (place + 1) & (size - 1) }
      places[place] = Place(hash: hash, entry: index)
    }
    self.places = places
  }

  var all: some Collection<InteractionSequence> { entries.lazy.map(\.sequence) }

  func sequence(for key: MatchKey) -> InteractionSequence? { key.bytes.withUnsafeBytes { sequence(for: $0) } }

  func sequence(for key: UnsafeRawBufferPointer) -> InteractionSequence? {
    let hash = Self.hash(key)
    var place = hash & (places.count - 1)
    while places[place].entry >= 0 {
      if places[place].hash == hash, holds(key, places[place].entry) {
        return entries[places[place].entry].sequence
      }
      place = (place + 1) & (places.count - 1)
    }
    return nil
  }

  private func holds(_ key: UnsafeRawBufferPointer, _ entry: Int) -> Bool {
    entries[entry].key.bytes.withUnsafeBytes { $0.count == key.count && $0.holds(key) }
  }

  /// Seeded in every process, as clients choose the keys.
  private static func hash(_ key: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: key)
    return hasher.finalize()
  }
}
