import TapedeckHTTP

extension RedactionPass {
  /// How deeply values within values are taken apart: JSON in a JSON string, base64 in a query.
  static let maximumDepth = 3

  /// What is to be hidden in a text of any kind.
  func text(_ text: ArraySlice<UInt8>, depth: Int) -> TextEdits {
    var edits = TextEdits()
    if TextScan.mayHide(text), policy.hasNameRules || !TextQuickCheck.isTime(text) {
      var scan = TextScan(text, self, depth: depth)
      edits = scan.run()
    }
    if !policy.textGlobs.isEmpty { edits.add(words(text)) }
    return edits
  }

  /// What is to be hidden in a value, which may be a document of its own.
  package func value(_ value: ArraySlice<UInt8>, depth: Int) -> TextEdits {
    if depth < Self.maximumDepth, let first = value.first,
      first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    {
      if !policy.hasRules, !JSONQuickCheck.mayHide(value) { return TextEdits() }
      var walk = JSONWalk(value, self, depth: depth)
      if let edits = walk.run() { return edits }
      if walk.isCut { return edits(ofCut: walk, value, depth: depth) }
    }
    return text(value, depth: depth)
  }

  /// What is to be hidden in JSON that ends too early: what the walk found up to there, and what the text gives away.
  private func edits(ofCut walk: JSONWalk, _ value: ArraySlice<UInt8>, depth: Int) -> TextEdits {
    var edits = walk.edits
    guard !edits.isEmpty else { return text(value, depth: depth) }
    // Both find most secrets, which count once.
    uncounted { edits.add(text(value, depth: depth)) }
    return edits
  }

  /// Words that a rule of the user's names.
  private func words(_ text: ArraySlice<UInt8>) -> TextEdits {
    var edits = TextEdits()
    for word in text.split(whereSeparator: { $0 <= 0x20 || "\"'`<>&,;()[]{}|\\=".utf8.contains($0) }) {
      guard Placeholder.end(in: word, at: word.startIndex) == nil,
        policy.textGlobs.contains(where: { $0.matches(word) }), let placeholder = placeholder(for: word)
      else { continue }
      edits.add(word.startIndex..<word.endIndex, placeholder)
    }
    return edits
  }
}
