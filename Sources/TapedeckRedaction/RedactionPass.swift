package import TapedeckHTTP

/// One message, or one exchange, on its way through the redaction: what was found in it so far, and how much was hidden.
///
/// Twice over everything: first what names and looks give away, then further copies of what that brought to light.
package final class RedactionPass {
  let policy: RedactionPolicy
  /// How many values were hidden.
  package private(set) var count = 0
  /// What was hidden and may stand elsewhere too.
  package private(set) var known = KnownSecrets()
  /// Content codings that could not be opened, so that what is in them was not looked at.
  package private(set) var unopened: Set<String> = []
  private let memory: SecretMemory?

  /// - Parameter memory: what earlier exchanges of the session have brought to light.
  package init(_ policy: RedactionPolicy, memory: SecretMemory? = nil) {
    self.policy = policy
    self.memory = memory
  }

  func noteUnopened(_ coding: BodyCoding) { unopened.insert(coding.name) }

  /// The placeholder for a secret; nil when its kind is kept.
  /// - Parameter isCopied: whether further copies of it are to be looked for.
  package func placeholder(
    for secret: ArraySlice<UInt8>, isCopied: Bool = true, isCounted: Bool = true
  ) -> [UInt8]? {
    let shape = TokenShapes.match(secret, at: secret.startIndex)
    let isWhole = shape?.start == secret.startIndex && shape?.end == secret.endIndex
    let kind = isWhole ? shape?.kind ?? "secret" : "secret"
    guard !policy.keeps(kind: kind) else { return nil }
    if isCounted { count += 1 }
    let value = kind == "pem" ? Self.unbroken(secret) : Array(secret)
    let placeholder = Placeholder.bytes(kind: kind, digits: policy.key.digits(of: value))
    if isCopied, kind != "pem" { known.add(Array(secret), placeholder) }
    return placeholder
  }

  func countCopies(_ copies: Int) { count += copies }

  /// Looks without counting what is found.
  package func uncounted(_ look: () -> Void) {
    let before = count
    look()
    count = before
  }

  /// A key without line breaks, which every place writes in its own way.
  private static func unbroken(_ key: ArraySlice<UInt8>) -> [UInt8] {
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
}

extension RedactionPass {
  /// What is to stand in place of a value under a name; nil when it stays.
  func replacement(
    of value: ArraySlice<UInt8>, under verdict: RedactionPolicy.Verdict
  ) -> [UInt8]? {
    switch verdict {
    case .keep: nil
    case .hide: value.isEmpty || Placeholder.isWhole(value) ? nil : placeholder(for: value)
    case .judge(let strength):
      SecretValue.isSecret(value, under: strength) ? placeholder(for: value) : nil
    }
  }
}

// MARK: - Whole messages

extension RedactionPass {
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

  /// Every copy in a text, as it is and in what is percent-encoded or escaped as in JSON, once or twice.
  package func copies(in text: ArraySlice<UInt8>, depth: Int = 0) -> TextEdits {
    var edits = known.isEmpty ? TextEdits() : known.copies(in: text)
    if let memory { edits.add(memory.copies(in: text)) }
    guard depth < 2 else { return edits }
    for (mark, encoding) in [(UInt8(ascii: "%"), DecodedText.Encoding.path), (UInt8(ascii: "\\"), .json)]
    where text.contains(mark) {
      let decoded = DecodedText(text, encoding)
      for edit in copies(in: decoded.bytes, depth: depth + 1).list
      where decoded.origin(of: edit.range).count != edit.range.count {
        edits.add(decoded.encoded(TextEdits(edit.range, edit.bytes)))
      }
    }
    return edits
  }

  package func removeCopies(from request: inout HTTPRequest, includingFields: Bool) {
    guard hasCopies else { return }
    let edits = copies(in: request.target[...])
    if !edits.isEmpty {
      request.target = edits.applied(to: request.target[...])
      countCopies(edits.count)
    }
    request.body = copyless(request.body, fields: request.fields).bytes
    guard includingFields else { return }
    removeCopies(from: &request.fields)
    removeCopies(from: &request.trailers)
  }

  package func removeCopies(from fields: inout HTTPFields) {
    guard hasCopies else { return }
    for (index, field) in fields.enumerated() {
      let edits = copies(in: field.value)
      guard !edits.isEmpty else { continue }
      countCopies(edits.count)
      // A placeholder is always a valid value.
      try? fields.replaceValue(at: index, with: edits.applied(to: field.value))
    }
  }
}

extension HTTPFields {
  package mutating func describe(bodyOf count: Int) {
    removeContentDigests()
    for (index, field) in enumerated() where field.isNamed("content-length") {
      // Digits are always a valid value.
      try? replaceValue(at: index, with: Array(String(count).utf8))
    }
  }
}
