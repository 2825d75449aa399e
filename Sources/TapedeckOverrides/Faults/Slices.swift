internal import TapedeckMocking

/// The sizes of the pieces that a body is cut into, the same for a seed in every run, however its bytes arrive.
struct Slices: Sendable {
  private let range: ClosedRange<Int>
  private var generator: SplitMix64

  /// - Parameter variation: less than `averageSize`.
  init(averageSize: Int, variation: Int, generator: SplitMix64) {
    range = max(1, averageSize - variation)...(averageSize + variation)
    self.generator = generator
  }

  mutating func next() -> Int { Int.random(in: range, using: &generator) }
}
