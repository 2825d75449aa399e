/// A JSON document without its white space, and the style that puts the white space back.
///
/// One pass over the bytes holds them against the grammar and against a layout at once, and makes no values: a document
/// that is written in a layout from its first byte to its last is what that layout writes.
package struct JSONCompaction {
  package let style: JSONStyle
  /// The document in the compact style; shared with the original where that has it in one piece.
  package let bytes: ArraySlice<UInt8>

  /// Nil when the bytes are no JSON, or in no style.
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
