import TapedeckHTTP

/// Finds copies of secrets where no name reveals them: in a path, another field or another exchange; plain,
/// percent-encoded, JSON-escaped, in hexadecimal or base64.
///
/// A copy is found by its longest run of letters and digits, so a text is read once, regardless of the number
/// of secrets.
package struct KnownSecrets: Sendable {
  /// One way to write a secret, its placeholder written the same way, and the offset of its longest run.
  private struct Form {
    var pattern: [UInt8]
    var placeholder: [UInt8]
    var offset: Int
    var secretBytes: Int
  }

  private static let maximumSecrets = 10_000
  /// The limit of forms that share a run, so that a text is read in linear time.
  private static let maximumSharing = 256
  private static let maximumDepth = 2

  private var secrets: [[UInt8]: [UInt8]] = [:]
  private var forms: [Int: [Form]] = [:]
  /// The lengths of the runs in `forms`, one bit each; most words have none of them.
  private var lengths: UInt64 = 0

  package init() {}

  package var isEmpty: Bool { secrets.isEmpty }

  /// Adds a secret, unless it is so common that a copy of it may mean something else.
  package mutating func add(_ secret: [UInt8], _ placeholder: [UInt8]) {
    if CopyRule.mayBeCopied(secret[...]) { addCertain(secret, placeholder) }
  }

  package mutating func add(_ other: KnownSecrets) {
    for (secret, placeholder) in other.secrets { addCertain(secret, placeholder) }
  }

  /// Adds a secret that is known to be one, whatever it looks like.
  /// - Parameter inAllForms: whether to search for encoded copies too.
  mutating func addCertain(_ secret: [UInt8], _ placeholder: [UInt8], inAllForms: Bool = true) {
    guard secrets[secret] == nil, secrets.count < Self.maximumSecrets else { return }
    secrets[secret] = placeholder
    add(secret, placeholder, of: secret.count)
    guard inAllForms else { return }
    for isUppercase in [false, true] {
      add(
        ASCII.hexDigits(secret, uppercase: isUppercase),
        ASCII.hexDigits(placeholder, uppercase: isUppercase), of: .max)
    }
    for isURL in [false, true] {
      add(
        Base64.encode(secret, isURL: isURL, isPadded: false),
        Base64.encode(placeholder, isURL: isURL, isPadded: false), of: .max)
    }
  }

  private mutating func add(_ pattern: [UInt8], _ placeholder: [UInt8], of secretBytes: Int) {
    let runs = pattern.split { !ASCII.isAlphanumeric($0) }
    guard let run = runs.max(by: { $0.count < $1.count }) else { return }
    let key = Self.key(of: run)
    let known = forms[key, default: []]
    guard known.count < Self.maximumSharing, !known.contains(where: { $0.pattern == pattern }) else { return }
    forms[key, default: []].append(
      Form(pattern: pattern, placeholder: placeholder, offset: run.startIndex, secretBytes: secretBytes))
    lengths |= Self.length(run.count)
  }

  private static func key(of run: ArraySlice<UInt8>) -> Int {
    var hasher = Hasher()
    run.withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }

  private static func length(_ count: Int) -> UInt64 { 1 << UInt64(min(count, 63)) }

  // MARK: Searching

  /// The copies in a text, without overlaps.
  package func copies(in text: ArraySlice<UInt8>) -> Finds {
    forms.isEmpty ? Finds() : copies(in: text, depth: 0).withoutOverlaps
  }

  private func copies(in text: ArraySlice<UInt8>, depth: Int) -> Finds {
    var finds = plainCopies(in: text)
    guard depth < Self.maximumDepth else { return finds }
    for run in Base64.runs(in: text) {
      // A copy inside longer base64 has none of the forms.
      guard let decoded = Base64.decodeText(text[run]) else { continue }
      let inner = copies(in: decoded[...], depth: depth + 1)
      if !inner.isEmpty {
        finds.add(run, Self.encoded(inner.applied(to: decoded[...]), like: run, in: text))
      }
    }
    for (mark, encoding) in [(UInt8(ascii: "%"), DecodedText.Encoding.path), (UInt8(ascii: "\\"), .json)]
    where TextScan.has(mark, in: text) {
      let decoded = DecodedText(text, encoding)
      let inner = decoded.encoded(copies(in: decoded.bytes, depth: depth + 1))
      guard !inner.isEmpty else { continue }
      let present = Set(finds.list.map(\.range))
      for find in inner.list where !present.contains(find.range) { finds.add(find) }
    }
    return finds
  }

  /// A part of a token has no padding, whatever its length (RFC 7515 §2).
  private static func encoded(_ bytes: [UInt8], like run: Range<Int>, in text: ArraySlice<UInt8>) -> [UInt8] {
    let dot = UInt8(ascii: ".")
    let isPart =
      run.lowerBound > text.startIndex && text[run.lowerBound - 1] == dot
      || run.upperBound < text.endIndex && text[run.upperBound] == dot
    return isPart ? Base64.encode(bytes, isURL: true, isPadded: false) : Base64.encode(bytes, like: text[run])
  }

  private func plainCopies(in text: ArraySlice<UInt8>) -> Finds {
    var finds = Finds()
    var index = text.startIndex
    while let start = text[index...].firstIndex(where: ASCII.isAlphanumeric) {
      let run = text[start...].prefix(while: ASCII.isAlphanumeric)
      index = run.endIndex
      guard lengths & Self.length(run.count) != 0, let forms = forms[Self.key(of: run)] else { continue }
      for form in forms { finds.add(find(form, at: start - form.offset, in: text)) }
    }
    return finds
  }

  private func find(_ form: Form, at start: Int, in text: ArraySlice<UInt8>) -> Find? {
    let range = start..<start + form.pattern.count
    guard start >= text.startIndex, range.upperBound <= text.endIndex,
      text[range].elementsEqual(form.pattern),
      CopyRule.isWhole(range, in: text, secretBytes: form.secretBytes), !Placeholder.holds(range, in: text)
    else { return nil }
    return Find(range: range, replacement: form.placeholder)
  }
}
