/// A set-associative cache: a table of fixed size in which each hash has a few places. When all of these are taken, a new
/// value takes one from another. The hash only finds the places; the caller compares what is there, so a client who
/// chooses equal hashes makes the cache useless, and nothing else.
@usableFromInline package struct AssociativeCache<Value> {
  @inlinable package static var placeCount: Int { 4096 }
  /// How many places a hash has, from the one that it names.
  @inlinable static var ways: Int { 8 }

  /// Empty until something is kept; 0 in a free place.
  @usableFromInline var hashes: [UInt64] = []
  @usableFromInline var values: [Value?] = []
  @usableFromInline var nextWay = 0

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { hashes.isEmpty }

  @inlinable package mutating func removeAll() { (hashes, values) = ([], []) }

  /// What `choose` returns for the first value of this hash that it takes. Values are passed in their place, so that
  /// none is copied, and are never `nil`.
  @inlinable @inline(__always) package mutating func first<Chosen>(
    _ hash: UInt64, choose: (inout Value?) -> Chosen?
  ) -> Chosen? {
    guard !hashes.isEmpty else { return nil }
    let hash = hash | 1 << 63
    var place = Self.first(of: hash)
    let end = place + Self.ways
    // Places are taken in their order, and none is freed.
    while place < end, hashes[place] != 0 {
      if hashes[place] == hash, let chosen = choose(&values[place]) { return chosen }
      place += 1
    }
    return nil
  }

  @inlinable @inline(__always) package mutating func keep(_ value: Value, _ hash: UInt64) {
    if hashes.isEmpty {
      hashes = Array(repeating: 0, count: Self.placeCount + Self.ways)
      values = Array(repeating: nil, count: hashes.count)
    }
    let hash = hash | 1 << 63
    let first = Self.first(of: hash)
    nextWay = (nextWay + 1) % Self.ways
    let place = (first..<first + Self.ways).first { hashes[$0] == 0 } ?? first + nextWay
    hashes[place] = hash
    values[place] = value
  }

  @inlinable static func first(of hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (placeCount - 1) }
}
