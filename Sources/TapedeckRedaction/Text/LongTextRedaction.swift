/// Redacts a text that is too long to hold, piece by piece.
///
/// The text is searched in windows. Each piece of output ends so far before the end of its window that every secret that
/// begins in it is seen whole, and each window begins with the end of the one before, because names may stand there.
/// JSON is read as text: its names and values are understood, but not its places, nor arrays under a secret's name.
package final class LongTextRedaction {
  private static let windowBytes = 1 << 20
  /// The longest secret that may begin at the end of the output.
  private static let lookaheadBytes = 64 * 1024
  private static let contextBytes = 256
  /// How far back to look for a place between words.
  private static let maximumWordBytes = 32 * 1024

  private let search: SecretSearch
  private var window: [UInt8] = []
  /// How much of the window is in the output already.
  private var outputCount = 0
  /// The place of the window in the text.
  private var offset = 0
  /// The finds so far, with their ranges in the original text.
  package private(set) var finds = Finds()

  package init(_ search: SecretSearch) { self.search = search }

  /// Takes in more of the text.
  /// - Returns: the next piece of output.
  package func append(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    window += bytes
    guard window.count - outputCount >= Self.windowBytes + Self.lookaheadBytes else { return [] }
    return output(isLast: false)
  }

  /// - Returns: the rest of the output.
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
      found.add(search.text(window[...], depth: 0))
      found.add(search.copies(in: window[...]))
    }
    return found.ordered
  }

  /// The last place before the lookahead that lies between words and in no secret.
  private func safeEnd(_ found: [Find]) -> Int {
    let latest = window.count - Self.lookaheadBytes
    let earliest = max(outputCount, latest - Self.maximumWordBytes)
    let end =
      window[earliest..<latest].lastIndex { $0 <= 0x20 || $0 == UInt8(ascii: ",") }.map { $0 + 1 } ?? latest
    let cut = found.first { $0.range.lowerBound < end && $0.range.upperBound > end }
    return cut.map { max($0.range.lowerBound, outputCount) } ?? end
  }
}
