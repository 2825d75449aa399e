/// Steps over a document written in one layout, and drops the white space of that layout.
struct JSONLayoutScan {
  private let layout: JSONStyle.Layout
  private var reader: JSONReader
  /// As long as the document, and filled up to `count`.
  private var compact: [UInt8] = []
  private var count = 0
  /// The offset after the last white space dropped.
  private var pieceStart = 0

  init(_ bytes: UnsafeRawBufferPointer, _ layout: JSONStyle.Layout, maximumDepth: Int) {
    self.layout = layout
    reader = JSONReader(stepping: bytes, maximumDepth: maximumDepth)
  }

  var isCut: Bool { pieceStart > 0 }

  mutating func takeRest() -> [UInt8] {
    takePiece()
    compact.removeLast(compact.count - count)
    return compact
  }

  mutating func run() -> Bool {
    do throws(JSONError) {
      return try takeValue(level: 0) && reader.index == reader.bytes.count
    } catch {
      return false
    }
  }

  private mutating func takeValue(level: Int) throws(JSONError) -> Bool {
    switch reader.next {
    case UInt8(ascii: "{"): return try takeContainer(closedBy: UInt8(ascii: "}"), level: level + 1)
    case UInt8(ascii: "["): return try takeContainer(closedBy: UInt8(ascii: "]"), level: level + 1)
    default:
      try reader.skipValue()
      return true
    }
  }

  private mutating func takeContainer(closedBy close: UInt8, level: Int) throws(JSONError) -> Bool {
    guard level <= reader.maximumDepth else { return false }
    reader.index += 1
    if take(close) { return true }
    guard dropLine(level) else { return false }
    while true {
      if close == UInt8(ascii: "}") {
        guard try takeName() else { return false }
      }
      guard try takeValue(level: level) else { return false }
      guard take(ASCII.comma) else { return dropLine(level - 1) && take(close) }
      guard layout != .spaced || drop(ASCII.space, 1), dropLine(level) else { return false }
    }
  }

  private mutating func takeName() throws(JSONError) -> Bool {
    try reader.expectName()
    try reader.skipString()
    return take(ASCII.colon) && (layout == .compact || drop(ASCII.space, 1))
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard reader.next == byte else { return false }
    reader.index += 1
    return true
  }

  /// Drops a line end and the indent of the next line, if the layout has lines.
  private mutating func dropLine(_ level: Int) -> Bool {
    switch layout {
    case .compact, .spaced: true
    case .indented(let spaces): drop(ASCII.lineFeed, 1) && drop(ASCII.space, spaces * level)
    case .tabs: drop(ASCII.lineFeed, 1) && drop(ASCII.tab, level)
    }
  }

  private mutating func drop(_ byte: UInt8, _ count: Int) -> Bool {
    let end = reader.index + count
    guard end <= reader.bytes.count else { return false }
    for index in reader.index..<end where reader.bytes[index] != byte { return false }
    takePiece()
    reader.index = end
    pieceStart = end
    return true
  }

  private mutating func takePiece() {
    if compact.isEmpty { compact = [UInt8](repeating: 0, count: reader.bytes.count) }
    let piece = UnsafeRawBufferPointer(rebasing: reader.bytes[pieceStart..<reader.index])
    compact.withUnsafeMutableBytes { bytes in
      UnsafeMutableRawBufferPointer(rebasing: bytes[count...]).copyMemory(from: piece)
    }
    count += piece.count
  }
}

/// A JSON document without its white space, and the style that restores it.
///
/// One pass checks the bytes against the grammar and a layout, and makes no values.
package struct JSONCompaction {
  package let style: JSONStyle
  /// The document in compact style; shares the original's bytes where possible.
  package let bytes: ArraySlice<UInt8>

  /// Returns `nil` when the bytes are not JSON, or follow no style.
  package init?(_ original: [UInt8], maximumDepth: Int = JSONValue.defaultMaximumDepth) {
    for style in JSONStyle.candidates(original) {
      let document = style.endsWithNewline ? original.dropLast() : original[...]
      guard let bytes = Self.compacted(document, style.layout, maximumDepth) else { continue }
      self.style = style
      self.bytes = bytes
      return
    }
    return nil
  }

  private static func compacted(
    _ document: ArraySlice<UInt8>, _ layout: JSONStyle.Layout, _ maximumDepth: Int
  ) -> ArraySlice<UInt8>? {
    document.withUnsafeBytes { bytes in
      var scan = JSONLayoutScan(bytes, layout, maximumDepth: maximumDepth)
      guard scan.run() else { return nil }
      return scan.isCut ? scan.takeRest()[...] : document
    }
  }
}
