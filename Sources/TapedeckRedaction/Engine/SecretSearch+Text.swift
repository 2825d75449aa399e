import TapedeckHTTP

/// Targets and pairs: a path is searched for shapes, a query by its names too.
extension SecretSearch {
  package func redacted(target: [UInt8]) -> [UInt8] {
    let finds = finds(inTarget: target)
    return finds.isEmpty ? target : finds.applied(to: target[...])
  }

  func finds(inTarget target: [UInt8]) -> Finds {
    let path = target[..<(target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex)]
    var finds = finds(inPath: path)
    if path.endIndex < target.endIndex { finds.add(pairs(target[(path.endIndex + 1)...])) }
    return finds
  }

  private func finds(inPath path: ArraySlice<UInt8>) -> Finds {
    var finds = Finds()
    let isEncoded = TextQuickCheck.has(UInt8(ascii: "%"), in: path)
    guard isEncoded || !policy.textGlobs.isEmpty || TextScan.mayHide(path) else { return finds }
    for segment in thresholds.splitsPaths ? path.split(separator: UInt8(ascii: "/")) : [path] {
      let decoded = DecodedText(segment, .path)
      finds.add(decoded.encoded(text(decoded.bytes, depth: 0)))
      finds.add(plainPlaceholders(decoded))
    }
    return finds
  }

  /// Placeholders that a client has percent-encoded are decoded, because paths are compared as they are written.
  private func plainPlaceholders(_ decoded: DecodedText) -> Finds {
    var finds = Finds()
    for range in Placeholder.ranges(in: decoded.bytes)
    where decoded.origin(of: range).count != range.count {
      finds.add(decoded.origin(of: range), Array(decoded.bytes[range]))
    }
    return finds
  }

  /// `name=value&name=value`: a query, a form.
  func pairs(_ text: ArraySlice<UInt8>) -> Finds {
    var finds = Finds()
    var start = text.startIndex
    while start < text.endIndex {
      let end = text[start...].firstIndex(of: UInt8(ascii: "&")) ?? text.endIndex
      finds.add(pair(text[start..<end]))
      start = end + 1
    }
    return finds
  }

  private func pair(_ pair: ArraySlice<UInt8>) -> Finds {
    guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else {
      let decoded = DecodedText(pair, .percent)
      return decoded.encoded(text(decoded.bytes, depth: 0))
    }
    let name = DecodedText(pair[..<equals], .percent)
    let value = DecodedText(pair[(equals + 1)...], .percent)
    var finds = name.encoded(text(name.bytes, depth: 0))
    let label = finds.isEmpty ? name.bytes : []
    let inner = self.finds(in: value.bytes, named: name.bytes, in: .pair)
    finds.add(value.encoded(inner.placed(at: Self.label(label), named: name.bytes)))
    return finds
  }

  /// A name, as it stands in the place of a find.
  static func label(_ name: ArraySlice<UInt8>) -> String {
    name.isEmpty ? "" : " \(String(decoding: name, as: UTF8.self))"
  }
}

// MARK: - Values and texts

extension SecretSearch {
  /// How deeply values within values are opened: JSON in a JSON string, base64 in a query.
  static let maximumDepth = 3

  /// The secrets in a text of any kind.
  package func text(_ text: ArraySlice<UInt8>, depth: Int) -> Finds {
    var finds = Finds()
    if TextScan.mayHide(text), policy.hasNameRules || !TextQuickCheck.isTime(text) {
      var scan = TextScan(text, self, depth: depth)
      finds = scan.run()
    }
    if !policy.textGlobs.isEmpty { finds.add(words(text)) }
    return finds
  }

  /// The secrets in a value, which may be a JSON document.
  package func value(_ value: ArraySlice<UInt8>, depth: Int) -> Finds {
    if depth < Self.maximumDepth, let first = value.first,
      first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    {
      if !policy.hasRules, !thresholds.reports, !JSONQuickCheck.mayHide(value) { return Finds() }
      var walk = JSONWalk(value, self, depth: depth)
      if let finds = walk.run() { return finds }
      if walk.isCut { return finds(inCut: walk, value, depth: depth) }
    }
    return text(value, depth: depth)
  }

  /// The secrets in JSON that ends too early: those of the walk, and those of the text.
  private func finds(inCut walk: JSONWalk, _ value: ArraySlice<UInt8>, depth: Int) -> Finds {
    var finds = walk.finds
    guard !finds.isEmpty else { return text(value, depth: depth) }
    // Most secrets are found by both, and count once.
    uncounted { finds.add(text(value, depth: depth)) }
    return finds
  }

  /// Words that match a rule of the user's.
  private func words(_ text: ArraySlice<UInt8>) -> Finds {
    var finds = Finds()
    for word in text.split(whereSeparator: { $0 <= 0x20 || "\"'`<>&,;()[]{}|\\=".utf8.contains($0) })
    where Placeholder.end(in: word, at: word.startIndex) == nil
      && policy.textGlobs.contains(where: { $0.matches(word) })
    {
      finds.add(find(word.startIndex..<word.endIndex, word, "a word of a rule"))
    }
    return finds
  }
}
