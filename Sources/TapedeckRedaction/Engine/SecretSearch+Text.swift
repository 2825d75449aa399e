import TapedeckHTTP

/// Searches targets and pairs: a path by shape, a query by name too.
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
    let isEncoded = TextScan.has(UInt8(ascii: "%"), in: path)
    guard isEncoded || !policy.textGlobs.isEmpty || TextScan.mayHide(path) || Self.mayBeHook(path) else {
      return finds
    }
    var isBehindName = false
    var end = path.startIndex
    if Self.mayBeHook(path) {
      let start = path.startIndex + Self.hook.count
      end = path.last == UInt8(ascii: "/") ? path.endIndex - 1 : path.endIndex
      let secret = path[start..<max(start, end)]
      if !SecretValue.isWorthless(secret) {
        finds.add(find(secret.startIndex..<secret.endIndex, secret, "a value in a private address"))
      }
    }
    for segment in path.split(separator: UInt8(ascii: "/")) where segment.startIndex >= end {
      // The secret of a webhook has several segments.
      if let found = TokenShapes.match(path, at: segment.startIndex), found.end > segment.endIndex {
        let range = found.start..<found.end
        finds.add(find(range, path[range], found.looksLike))
        end = found.end
        continue
      }
      let decoded = DecodedText(segment, .path)
      finds.add(decoded.encoded(text(decoded.bytes, depth: 0)))
      if isBehindName, SecretValue.isRandom(decoded.bytes), !Placeholder.isMentioned(in: decoded.bytes) {
        finds.add(find(segment.startIndex..<segment.endIndex, decoded.bytes, "a value in a private address"))
      }
      isBehindName = isBehindName || SecretNames.isPrivatePath(segment)
      finds.add(plainPlaceholders(decoded))
    }
    return finds
  }

  /// Zapier's webhooks, whose secrets are made of short words.
  private static let hook = Array("/hooks/catch/".utf8)

  static func mayBeHook(_ target: ArraySlice<UInt8>) -> Bool { target.starts(with: hook) }

  /// Decodes placeholders that a client percent-encoded, because paths are compared as written.
  private func plainPlaceholders(_ decoded: DecodedText) -> Finds {
    var finds = Finds()
    for range in Placeholder.ranges(in: decoded.bytes)
    where decoded.origin(of: range).count != range.count {
      finds.add(decoded.origin(of: range), Array(decoded.bytes[range]))
    }
    return finds
  }

  /// Searches `name=value&name=value`, as in a query or a form.
  func pairs(_ text: ArraySlice<UInt8>) -> Finds {
    var finds = Finds()
    var start = text.startIndex
    var previous = text.prefix(0)
    if let password = Self.shortPassword(in: text) ?? Self.sentCode(in: text) {
      finds.add(find(password, text[password], Self.named))
    }
    while start < text.endIndex {
      let end = text[start...].firstIndex(of: UInt8(ascii: "&")) ?? text.endIndex
      finds.add(pair(text[start..<end], behind: previous))
      previous = text[start..<end]
      start = end + 1
    }
    return finds
  }

  /// The password in `u=…&p=…`, as InfluxDB 1 and Subsonic have it; `nil` when there is none.
  private static func shortPassword(in text: ArraySlice<UInt8>) -> Range<Int>? {
    var (hasUser, password) = (false, Range<Int>?.none)
    for pair in text.split(separator: UInt8(ascii: "&")) where pair.count > 2 {
      if pair.starts(with: "u=".utf8) { hasUser = true }
      if pair.starts(with: "p=".utf8) { password = pair.startIndex + 2..<pair.endIndex }
    }
    guard hasUser, let password, !SecretValue.isWorthless(text[password]) else { return nil }
    return password
  }

  /// The one-time code in `To=…&Code=123456`, beside the address that it was sent to.
  private static func sentCode(in text: ArraySlice<UInt8>) -> Range<Int>? {
    guard ByteSearch.first(Array("ode=".utf8), in: text) != nil else { return nil }
    var (hasRecipient, code) = (false, Range<Int>?.none)
    for pair in text.split(separator: UInt8(ascii: "&")) {
      guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else { continue }
      let (name, value) = (pair[..<equals], pair[(equals + 1)...])
      if ASCII.equal(name, lowercase: "code"), SecretValue.isSentCode(value) {
        code = value.startIndex..<value.endIndex
      } else if JSONWalk.isRecipient(name, DecodedText(value, .percent).bytes) {
        hasRecipient = true
      }
    }
    return hasRecipient ? code : nil
  }

  private static let nameEndings: [StaticString] = ["key", "name"]

  /// The name that the pair before gives to this one: `ParameterKey=DBPassword&ParameterValue=…`.
  private static func heldName(
    for name: ArraySlice<UInt8>, behind pair: ArraySlice<UInt8>
  ) -> ArraySlice<UInt8>? {
    let prefix = name.dropLast(5)
    guard ASCII.equal(name.suffix(5), lowercase: "value"), pair.starts(with: prefix),
      let equals = pair.firstIndex(of: UInt8(ascii: "=")), equals - pair.startIndex >= prefix.count
    else { return nil }
    let ending = pair[(pair.startIndex + prefix.count)..<equals]
    guard nameEndings.contains(where: { ASCII.equal(ending, lowercase: $0) }) else { return nil }
    return DecodedText(pair[(equals + 1)...], .percent).bytes
  }

  private func pair(_ pair: ArraySlice<UInt8>, behind previous: ArraySlice<UInt8>) -> Finds {
    guard let equals = pair.firstIndex(of: UInt8(ascii: "=")) else {
      let decoded = DecodedText(pair, .percent)
      return decoded.encoded(text(decoded.bytes, depth: 0))
    }
    let name = DecodedText(pair[..<equals], .percent)
    let value = DecodedText(pair[(equals + 1)...], .percent)
    var finds = name.encoded(text(name.bytes, depth: 0))
    let label = finds.isEmpty ? name.bytes : []
    let isTelling = policy.verdict(on: name.bytes, in: .pair) != .none
    let held = isTelling ? nil : Self.heldName(for: name.bytes, behind: previous)
    let inner = self.finds(in: value.bytes, named: held ?? name.bytes, in: held == nil ? .pair : .member)
    finds.add(value.encoded(inner.placed(at: Self.label(label), named: name.bytes)))
    return finds
  }

  /// A name as it appears in the place of a find.
  static func label(_ name: ArraySlice<UInt8>) -> String {
    name.isEmpty ? "" : " \(String(decoding: name, as: UTF8.self))"
  }
}

// MARK: - Values and texts

extension SecretSearch {
  /// How many levels of nested values are opened: JSON in a JSON string, base64 in a query.
  static let maximumDepth = 3

  package func text(_ text: ArraySlice<UInt8>, depth: Int) -> Finds {
    if reports, depth == 0, TextScan.has(0, in: text) { return finds(inBinary: text) }
    var finds = Finds()
    if policy.hasNameRules || TextScan.mayHide(text) && !TextScan.isOrdinary(text) {
      var scan = TextScan(text, self, depth: depth)
      finds = scan.run()
    }
    if !policy.textGlobs.isEmpty { finds.add(words(text)) }
    return finds
  }

  /// What the scanner reports of data that are no text, told by a NUL: the secrets in stretches of UTF-8 without control
  /// characters. Else random bytes behind `pw=` would be one.
  private func finds(inBinary data: ArraySlice<UInt8>) -> Finds {
    var finds = Finds()
    var start = data.startIndex
    while start < data.endIndex {
      let end = data.withUnsafeBytes { bytes in
        var end = start - data.startIndex
        while end < bytes.count, ASCII.isText(bytes[end]) {
          let length = bytes[end] < 0x80 ? 1 : UTF8Scan.multibyteLength(bytes, at: end)
          guard length > 0 else { break }
          end += length
        }
        return end + data.startIndex
      }
      finds.add(text(data[start..<end], depth: 0))
      start = end + 1
    }
    return finds
  }

  /// The secrets in a value, which may be a JSON document.
  /// - Parameter name: the value's, if it has one.
  package func value(_ value: ArraySlice<UInt8>, named name: ArraySlice<UInt8> = [], depth: Int) -> Finds {
    if depth < Self.maximumDepth, let first = value.first,
      first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    {
      if !policy.hasRules, !reports, !mayHide(document: value, depth: depth) { return Finds() }
      var walk = JSONWalk(value, self, depth: depth, named: name)
      if let finds = walk.run() { return finds }
      if walk.isCut { return finds(inCut: walk, value, depth: depth) }
    }
    return text(value, depth: depth)
  }

  /// The quick check. A value that holds no secret by itself does not ask for the walk.
  private func mayHide(document: ArraySlice<UInt8>, depth: Int) -> Bool {
    JSONQuickCheck.mayHide(document) { value in
      var finds = Finds()
      uncounted { finds = text(document[value], depth: depth + 1) }
      return !finds.isEmpty
    }
  }

  /// The secrets in JSON under the name of a secret; `nil` when the value is not JSON.
  func finds(
    inDocument value: ArraySlice<UInt8>, under strength: SecretNames.Strength, depth: Int
  ) -> Finds? {
    guard depth <= Self.maximumDepth, value.first == UInt8(ascii: "{") || value.first == UInt8(ascii: "[")
    else {
      return nil
    }
    var walk = JSONWalk(value, self, depth: depth, under: strength)
    return walk.run()
  }

  /// The secrets in truncated JSON: those of the walk and those of the text.
  private func finds(inCut walk: JSONWalk, _ value: ArraySlice<UInt8>, depth: Int) -> Finds {
    var finds = walk.finds
    guard !finds.isEmpty else { return text(value, depth: depth) }
    // Both find most of the secrets, which count once.
    uncounted { finds.add(text(value, depth: depth)) }
    return finds
  }

  /// The words that match a user's rule.
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
