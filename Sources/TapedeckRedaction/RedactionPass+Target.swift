import TapedeckHTTP

/// Targets and pairs: what stands in a path is known by its looks, what stands in a query by its name too.
extension RedactionPass {
  package func redacted(target: [UInt8]) -> [UInt8] {
    let path = target[..<(target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex)]
    var edits = edits(ofPath: path)
    if path.endIndex < target.endIndex { edits.add(pairs(target[(path.endIndex + 1)...])) }
    return edits.isEmpty ? target : edits.applied(to: target[...])
  }

  private func edits(ofPath path: ArraySlice<UInt8>) -> TextEdits {
    var edits = TextEdits()
    let isEncoded = TextQuickCheck.has(UInt8(ascii: "%"), in: path)
    guard isEncoded || !policy.textGlobs.isEmpty || TextScan.mayHide(path) else { return edits }
    for segment in path.split(separator: UInt8(ascii: "/")) {
      let decoded = DecodedText(segment, .path)
      edits.add(decoded.encoded(text(decoded.bytes, depth: 0)))
      edits.add(plainPlaceholders(decoded))
    }
    return edits
  }

  /// Placeholders that a client has percent-encoded are written as everywhere else: paths are compared as they are
  /// written.
  private func plainPlaceholders(_ decoded: DecodedText) -> TextEdits {
    var edits = TextEdits()
    for range in Placeholder.ranges(in: decoded.bytes)
    where decoded.origin(of: range).count != range.count {
      edits.add(decoded.origin(of: range), Array(decoded.bytes[range]))
    }
    return edits
  }

  /// `name=value&name=value`: a query, a form.
  func pairs(_ text: ArraySlice<UInt8>) -> TextEdits {
    var edits = TextEdits()
    var start = text.startIndex
    while start < text.endIndex {
      let end = text[start...].firstIndex(of: UInt8(ascii: "&")) ?? text.endIndex
      edits.add(pair(text[start..<end]))
      start = end + 1
    }
    return edits
  }

  private func pair(_ pair: ArraySlice<UInt8>) -> TextEdits {
    guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else {
      let decoded = DecodedText(pair, .percent)
      return decoded.encoded(text(decoded.bytes, depth: 0))
    }
    let name = DecodedText(pair[..<equals], .percent)
    let value = DecodedText(pair[(equals + 1)...], .percent)
    var edits = name.encoded(text(name.bytes, depth: 0))
    edits.add(value.encoded(self.edits(of: value.bytes, named: name.bytes, in: .pair)))
    return edits
  }
}
