package import TapedeckHTTP

/// Searches one message, or one exchange, for secrets. Redaction applies the finds, the scanner reports them.
///
/// Each message is searched twice: first for what names and shapes give away, then for further copies of the secrets
/// that the first search has found.
package final class SecretSearch {
  let policy: RedactionPolicy
  /// How many values were replaced.
  package internal(set) var count = 0
  /// Secrets of which there may be further copies.
  package private(set) var known = KnownSecrets()
  /// Content codings that could not be opened, whose content was not searched.
  package internal(set) var unopened: Set<String> = []
  private let memory: SecretMemory?

  /// - Parameter memory: the secrets of earlier exchanges of the session.
  package init(_ policy: RedactionPolicy, memory: SecretMemory? = nil) {
    self.policy = policy
    self.memory = memory
  }

  /// How far the search goes.
  var thresholds: SearchThresholds { policy.thresholds }

  /// A secret with its placeholder; `nil` when the user keeps secrets of its kind.
  func find(
    _ range: Range<Int>, _ secret: ArraySlice<UInt8>, _ looksLike: String,
    named name: ArraySlice<UInt8> = [], isCopied: Bool = true
  ) -> Find? {
    guard let placeholder = placeholder(for: secret, isCopied: isCopied) else { return nil }
    let evidence = thresholds.reports ? Evidence(looksLike, secret, named: name) : nil
    return Find(range: range, replacement: placeholder, evidence: evidence)
  }

  /// The placeholder for a secret; `nil` when the user keeps secrets of its kind.
  /// - Parameter isCopied: whether to look for further copies of it.
  package func placeholder(
    for secret: ArraySlice<UInt8>, isCopied: Bool = true, isCounted: Bool = true
  ) -> [UInt8]? {
    let shape = TokenShapes.match(secret, at: secret.startIndex)
    let isWhole = shape?.start == secret.startIndex && shape?.end == secret.endIndex
    let kind = isWhole ? shape?.kind ?? "secret" : "secret"
    guard !policy.keeps(kind: kind) else { return nil }
    if isCounted { count += 1 }
    let value = kind == "pem" ? Self.withoutLineBreaks(secret) : Array(secret)
    let placeholder = Placeholder.bytes(kind: kind, digits: policy.key.digits(of: value))
    if isCopied, kind != "pem", !thresholds.reports { known.add(Array(secret), placeholder) }
    return placeholder
  }

  /// Searches without counting the finds.
  package func uncounted(_ search: () -> Void) {
    let before = count
    search()
    count = before
  }

  /// A key in PEM without its line breaks, which may be written as such or escaped.
  private static func withoutLineBreaks(_ key: ArraySlice<UInt8>) -> [UInt8] {
    var out: [UInt8] = []
    var index = key.startIndex
    while index < key.endIndex {
      if key[index] == UInt8(ascii: "\\") {
        index += 2
      } else {
        if !ASCII.isSpace(key[index]) { out.append(key[index]) }
        index += 1
      }
    }
    return out
  }

  /// Whether a value is a secret, after what its name says.
  func isSecret(_ value: ArraySlice<UInt8>, under verdict: RedactionPolicy.Verdict) -> Bool {
    switch verdict {
    case .keep: false
    case .hide: !value.isEmpty && !Placeholder.isWhole(value)
    case .judge(let strength): isSecret(value, under: strength)
    }
  }

  func isSecret(_ value: ArraySlice<UInt8>, under strength: SecretNames.Strength) -> Bool {
    guard thresholds.reports else { return SecretValue.isSecret(value, under: strength) }
    return !isRedacted(value)
      && (SecretValue.isSecret(value, under: strength)
        || strength >= .doubtful && SecretValue.isSecret(value, under: .doubtful))
  }

  /// Whether there is no more to report about a value, because a secret was taken out of it.
  func isRedacted(_ value: ArraySlice<UInt8>) -> Bool {
    thresholds.reports && Placeholder.isMentioned(in: value)
  }
}

// MARK: - Whole messages

extension SecretSearch {
  package func redacted(_ request: HTTPRequest, includingFields: Bool = true) -> HTTPRequest {
    var result = request
    let fields = redacted(request.fields)
    result.target = redacted(target: request.target)
    result.body = body(request.body, fields: request.fields).bytes
    if includingFields {
      result.fields = fields
      result.trailers = redacted(request.trailers)
    }
    removeCopies(from: &result, includingFields: includingFields)
    return result
  }

  /// Whether there is anything of which there may be copies.
  var hasCopies: Bool { !known.isEmpty || memory?.isEmpty == false }

  /// Every copy in a text: as it is, and percent-encoded or escaped as in JSON, once or twice.
  package func copies(in text: ArraySlice<UInt8>, depth: Int = 0) -> Finds {
    var finds = known.isEmpty ? Finds() : known.copies(in: text)
    if let memory { finds.add(memory.copies(in: text)) }
    guard depth < 2 else { return finds }
    for (mark, encoding) in [(UInt8(ascii: "%"), DecodedText.Encoding.path), (UInt8(ascii: "\\"), .json)]
    where text.contains(mark) {
      let decoded = DecodedText(text, encoding)
      for find in copies(in: decoded.bytes, depth: depth + 1).list
      where decoded.origin(of: find.range).count != find.range.count {
        finds.add(decoded.encoded(Finds(find)))
      }
    }
    return finds
  }

  package func removeCopies(from request: inout HTTPRequest, includingFields: Bool) {
    guard hasCopies else { return }
    let finds = copies(in: request.target[...])
    if !finds.isEmpty {
      request.target = finds.applied(to: request.target[...])
      count += finds.count
    }
    request.body = copyless(request.body, fields: request.fields).bytes
    guard includingFields else { return }
    removeCopies(from: &request.fields)
    removeCopies(from: &request.trailers)
  }

  package func removeCopies(from fields: inout HTTPFields) {
    guard hasCopies else { return }
    for (index, field) in fields.enumerated() {
      let finds = copies(in: field.value)
      guard !finds.isEmpty else { continue }
      count += finds.count
      // A placeholder is always a valid value.
      try? fields.replaceValue(at: index, with: finds.applied(to: field.value))
    }
  }
}
