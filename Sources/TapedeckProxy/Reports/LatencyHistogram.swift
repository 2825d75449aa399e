internal import Synchronization

/// How long the exchanges of one loop took. Only its loop writes; anyone may read.
final class LatencyHistogram: Sendable {
  /// The upper bounds of all buckets but the last, in nanoseconds: from 250 µs, as replay is fast, to 10 s.
  static let boundsNanoseconds = [
    250_000, 500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000,
    250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 10_000_000_000,
  ]
  private static let bucketCount = 16

  private let counts = InlineArray<16, Atomic<Int>> { _ in Atomic(0) }
  private let sum = Atomic(0)

  func count(_ nanoseconds: Int) {
    let bucket = Self.boundsNanoseconds.firstIndex { nanoseconds <= $0 } ?? Self.bucketCount - 1
    // There is one writer, so nothing is lost between load and store.
    counts[bucket].store(counts[bucket].load(ordering: .relaxed) + 1, ordering: .relaxed)
    sum.store(sum.load(ordering: .relaxed) + nanoseconds, ordering: .relaxed)
  }

  /// Adds its counts to those of other loops.
  func add(to total: inout (counts: [Int], sumNanoseconds: Int)) {
    for bucket in 0..<Self.bucketCount { total.counts[bucket] += counts[bucket].load(ordering: .relaxed) }
    total.sumNanoseconds += sum.load(ordering: .relaxed)
  }

  /// The sums over loops.
  static func total(_ histograms: [LatencyHistogram]) -> (counts: [Int], sumNanoseconds: Int) {
    var total = (counts: [Int](repeating: 0, count: bucketCount), sumNanoseconds: 0)
    for histogram in histograms { histogram.add(to: &total) }
    return total
  }
}
