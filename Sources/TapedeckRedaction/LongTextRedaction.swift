/// Hides the secrets in a text that is too long to hold, as it comes.
///
/// The text is looked through in windows. What is given on ends so far before the end of its window that every secret
/// which begins in it is seen whole, and each window begins with the end of the one before, for the names that stand
/// there. Such a text is read as text whatever it is: of JSON, names and values are understood, but not places, nor what
/// stands in arrays under a secret's name.
package final class LongTextRedaction {
  private static let windowBytes = 1 << 20
  /// The longest secret that may begin at the end of what is given on.
  private static let lookaheadBytes = 64 * 1024
  private static let contextBytes = 256
  /// How far back a place between words is looked for.
  private static let maximumWordBytes = 32 * 1024

  private let pass: RedactionPass
  private var window: [UInt8] = []
  /// How much of the window has been given on already.
  private var givenCount = 0
  /// Where in the text the window begins.
  private var offset = 0
  /// What was changed, in terms of the text as it came; the replacements are kept for their lengths.
  package private(set) var edits = TextEdits()

  package init(_ pass: RedactionPass) { self.pass = pass }

  /// Takes in more of the text.
  /// - Returns: what may be given on.
  package func append(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    window += bytes
    guard window.count - givenCount >= Self.windowBytes + Self.lookaheadBytes else { return [] }
    return give(isLast: false)
  }

  /// The rest.
  package func finish() -> [UInt8] { give(isLast: true) }

  private func give(isLast: Bool) -> [UInt8] {
    let found = look()
    let end = isLast ? window.count : safeEnd(found)
    var given = TextEdits()
    for edit in found where edit.range.lowerBound >= givenCount && edit.range.upperBound <= end {
      given.add(edit.range, edit.bytes)
      edits.add(offset + edit.range.lowerBound..<offset + edit.range.upperBound, edit.bytes)
    }
    pass.countCopies(given.count)
    let out = given.applied(to: window[givenCount..<end])
    let dropped = max(0, end - Self.contextBytes)
    window.removeFirst(dropped)
    offset += dropped
    givenCount = end - dropped
    return out
  }

  private func look() -> [TextEdit] {
    var found = TextEdits()
    pass.uncounted {
      found.add(pass.text(window[...], depth: 0))
      found.add(pass.copies(in: window[...]))
    }
    return found.ordered
  }

  /// The last place before the lookahead that lies between words and in no secret.
  private func safeEnd(_ found: [TextEdit]) -> Int {
    let latest = window.count - Self.lookaheadBytes
    let earliest = max(givenCount, latest - Self.maximumWordBytes)
    let end =
      window[earliest..<latest].lastIndex { $0 <= 0x20 || $0 == UInt8(ascii: ",") }.map { $0 + 1 } ?? latest
    let cut = found.first { $0.range.lowerBound < end && $0.range.upperBound > end }
    return cut.map { max($0.range.lowerBound, givenCount) } ?? end
  }
}
