/// Redacts a text that is too long to hold, piece by piece.
///
/// The text is searched in windows. Output stops far enough before the end of a window that every secret that
/// begins in it is complete, and each window repeats the end of the one before, which may hold a name. JSON
/// is read as text: names and values are understood, but not places, nor arrays under a secret's name.
package final class LongTextRedaction {
  private static let windowBytes = 1 << 20
  /// The longest secret that may begin at the end of the output.
  private static let lookaheadBytes = 64 * 1024
  private static let contextBytes = 256
  /// How far back a place between words is searched for.
  private static let maximumWordBytes = 32 * 1024

  private let search: SecretSearch
  private let isOnlyCopies: Bool
  private var window: [UInt8] = []
  /// The number of the window's bytes that are in the output already.
  private var outputCount = 0
  private var offset = 0
  /// The finds so far, with their ranges in the original text.
  package private(set) var finds = Finds()

  /// - Parameter isOnlyCopies: whether to hide only copies of the secrets that the search knows.
  package init(_ search: SecretSearch, isOnlyCopies: Bool = false) {
    self.search = search
    self.isOnlyCopies = isOnlyCopies
  }

  /// Adds text and returns the next piece of output.
  package func append(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    window += bytes
    guard window.count - outputCount >= Self.windowBytes + Self.lookaheadBytes else { return [] }
    return output(isLast: false)
  }

  package func finish() -> [UInt8] { output(isLast: true) }

  private func output(isLast: Bool) -> [UInt8] {
    let found = searchWindow()
    let end = isLast ? window.count : safeEnd(found)
    var applied = Finds()
    for find in found where find.range.lowerBound >= outputCount && find.range.upperBound <= end {
      applied.add(find)
      finds.add(offset + find.range.lowerBound..<offset + find.range.upperBound, find.replacement)
    }
    search.count += applied.count
    let out = applied.applied(to: window[outputCount..<end])
    let dropped = max(0, end - Self.contextBytes)
    window.removeFirst(dropped)
    offset += dropped
    outputCount = end - dropped
    return out
  }

  private func searchWindow() -> [Find] {
    var found = Finds()
    search.uncounted {
      if !isOnlyCopies { found.add(search.text(window[...], depth: 0)) }
      found.add(search.copies(in: window[...]))
    }
    return found.ordered
  }

  /// The last place before the lookahead that is between words and not in a secret.
  private func safeEnd(_ found: [Find]) -> Int {
    let latest = window.count - Self.lookaheadBytes
    let earliest = max(outputCount, latest - Self.maximumWordBytes)
    let end =
      window[earliest..<latest].lastIndex { $0 <= 0x20 || $0 == UInt8(ascii: ",") }.map { $0 + 1 } ?? latest
    let cut = found.first { $0.range.lowerBound < end && $0.range.upperBound > end }
    return cut.map { max($0.range.lowerBound, outputCount) } ?? end
  }
}
