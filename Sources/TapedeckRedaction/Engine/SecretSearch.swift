package import TapedeckHTTP

/// Searches one message or exchange for secrets, which redaction replaces and the scanner reports: first by
/// names and shapes, then for copies of the secrets found.
package final class SecretSearch {
  package let policy: RedactionPolicy
  /// The number of replaced values.
  @exclusivity(unchecked) package var count = 0
  /// The secrets whose copies are searched for.
  @exclusivity(unchecked) package private(set) var known: KnownSecrets
  /// Content codings that could not be opened, so their content was not searched.
  @exclusivity(unchecked) package internal(set) var unopened: Set<String> = []
  /// How many tokens hold the one that is being hidden.
  private var tokenDepth = 0

  /// - Parameter known: the secrets of other exchanges, whose copies are searched for too.
  package init(_ policy: RedactionPolicy, known: KnownSecrets = KnownSecrets()) {
    self.policy = policy
    self.known = known
  }

  /// Whether this is the scanner's search.
  var reports: Bool { policy.reports }

  /// The find for a secret; `nil` when the user keeps secrets of its kind.
  /// - Parameter isKeepable: whether the user can keep it.
  func find(
    _ range: Range<Int>, _ secret: ArraySlice<UInt8>, _ looksLike: String,
    named name: ArraySlice<UInt8> = [], isCopied: Bool = true, isKeepable: Bool = true
  ) -> Find? {
    guard let placeholder = placeholder(for: secret, isCopied: isCopied, isKeepable: isKeepable) else {
      return nil
    }
    let report = reports ? SecretFind(looksLike, secret, named: name) : nil
    return Find(range: range, replacement: placeholder, report: report)
  }

  /// The placeholder for a secret; `nil` when the user keeps secrets of its kind.
  /// - Parameter isCopied: whether to search for copies of it.
  package func placeholder(
    for secret: ArraySlice<UInt8>, isCopied: Bool = true, isCounted: Bool = true, isKeepable: Bool = true
  ) -> [UInt8]? {
    let shape = TokenShapes.match(secret, at: secret.startIndex)
    let isWhole = shape?.start == secret.startIndex && shape?.end == secret.endIndex
    let kind = isWhole ? shape?.kind ?? "secret" : "secret"
    let isKept = policy.keeps(kind: kind)
    guard !isKeepable || !isKept else { return nil }
    if isCounted { count += 1 }
    let value = kind == "pem" ? Self.withoutLineBreaks(secret) : Array(secret)
    let digits = policy.digits(of: value)
    let token = kind == "jwt" && !isKept ? tokenPlaceholder(for: secret, digits: digits) : nil
    let placeholder = token ?? Placeholder.bytes(kind: kind, digits: digits)
    // What is hidden in `Authorization` alone stays as it is where the user keeps its kind.
    if isCopied, !isKept, kind != "pem", !reports { known.add(Array(secret), placeholder) }
    return placeholder
  }

  /// The find for a secret that its API has in base64, which clients open: so is its placeholder. The hash is that
  /// of the text inside, by which a client sends it elsewhere. `nil` for other values.
  func find(
    encoded value: ArraySlice<UInt8>, named name: ArraySlice<UInt8>, under strength: SecretNames.Strength
  ) -> Find? {
    guard !strength.isRule, value.count >= SecretValue.minimumLikelyBytes, isSecret(value, under: strength),
      let decoded = Base64.decode(Array(value))
    else { return nil }
    let secret = decoded.allSatisfy(ASCII.isText) ? decoded[...] : value
    var find = find(value.startIndex..<value.endIndex, secret, Self.named, named: name)
    if let placeholder = find?.replacement { find?.replacement = Array(Base64.encode(placeholder).utf8) }
    return find
  }

  /// The find for a number that is a secret. A number takes its place, because clients parse it as one.
  func find(_ number: ArraySlice<UInt8>, named name: ArraySlice<UInt8>) -> Find? {
    guard !Placeholder.isNumber(number), !policy.keeps(kind: "secret") else { return nil }
    count += 1
    let placeholder = Placeholder.number(digits: policy.digits(of: Array(number)))
    let report = reports ? SecretFind(Self.named, number, named: name) : nil
    return Find(range: number.startIndex..<number.endIndex, replacement: placeholder, report: report)
  }

  /// Searches for copies of a secret, whatever it looks like, unless it is short.
  func addCopied(_ secret: ArraySlice<UInt8>, _ placeholder: [UInt8]) {
    if secret.count >= CopyRule.minimumBytes { known.addCertain(Array(secret), placeholder) }
  }

  private static let maximumTokenDepth = 3

  /// The token that stands for a JSON Web Token; `nil` when it cannot be read as signed JSON.
  private func tokenPlaceholder(for token: ArraySlice<UInt8>, digits: [UInt8]) -> [UInt8]? {
    guard tokenDepth < Self.maximumTokenDepth, let token = WebToken(token) else { return nil }
    tokenDepth += 1
    defer { tokenDepth -= 1 }
    var placeholder: [UInt8]?
    uncounted { placeholder = token.placeholder(digits: digits) { value($0, depth: 0) } }
    return placeholder
  }

  package func uncounted(_ search: () -> Void) {
    let before = count
    search()
    count = before
  }

  /// A PEM key without its line breaks, which may be escaped.
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

  /// Whether a value is a secret, given the strength of its name.
  func isSecret(_ value: ArraySlice<UInt8>, under strength: SecretNames.Strength) -> Bool {
    SecretValue.isSecret(value, under: strength) && (strength.isRule || !isRedacted(value))
  }

  /// Whether a secret was already taken out of a value, so there is no more to report.
  func isRedacted(_ value: ArraySlice<UInt8>) -> Bool {
    reports && Placeholder.isMentioned(in: value)
  }
}

// MARK: - Whole messages

extension SecretSearch {
  package func redacted(_ request: HTTPRequest, includingFields: Bool = true) -> HTTPRequest {
    var result = request
    redact(&result, includingFields: includingFields)
    return result
  }

  package func redact(_ request: inout HTTPRequest, includingFields: Bool = true) {
    // Requests share their heads, so only what changes is assigned.
    let original = request.fields
    var fields = original
    let isChanged = redact(&fields)
    let finds = finds(inTarget: request.target)
    if !finds.isEmpty { request.target = finds.applied(to: request.target[...]) }
    let body = body(request.body, fields: original)
    if body.finds != nil { request.body = body.bytes }
    if includingFields {
      if isChanged { request.fields = fields }
      if request.hasTrailers { redact(&request.trailers) }
    }
    removeCopies(from: &request, includingFields: includingFields)
  }

  /// Whether there are secrets that may have copies.
  package var hasCopies: Bool { !known.isEmpty }

  /// All copies of known secrets in a text.
  package func copies(in text: ArraySlice<UInt8>) -> Finds { known.copies(in: text) }

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
    _ = change(&fields) { field in
      let finds = copies(in: field.value)
      count += finds.count
      return finds
    }
  }
}
