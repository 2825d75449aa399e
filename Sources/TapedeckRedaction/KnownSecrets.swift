internal import TapedeckHTTP

/// Secrets that were found in an exchange, to be found again where no name gives them away: in a path, in another
/// field, in the answer; as they are, percent-encoded, JSON-escaped, in hexadecimal or base64.
package struct KnownSecrets {
  /// One way a secret may be written, and what then takes its place.
  struct Form {
    var pattern: [UInt8]
    var placeholder: [UInt8]
  }

  /// How many are looked for: what is searched is searched once for each form of each of them.
  private static let maximumSecrets = 32
  /// How many bytes are searched in all, in one text; from there on only the first secrets are looked for.
  private static let maximumSearchedBytes = 1 << 30
  private static let minimumBytes = SecretValue.minimumLikelyBytes
  private static let maximumBytes = 4096

  /// In the order they were found.
  private(set) var secrets: [(secret: [UInt8], placeholder: [UInt8])] = []
  private var forms: [Form] = []

  var isEmpty: Bool { forms.isEmpty }

  /// Takes in a secret, unless it is so plain that it may stand elsewhere and mean something else.
  mutating func add(_ secret: [UInt8], _ placeholder: [UInt8]) {
    guard (Self.minimumBytes...Self.maximumBytes).contains(secret.count), secrets.count < Self.maximumSecrets,
      SecretValue.isSecret(secret[...], under: .likely), !secrets.contains(where: { $0.secret == secret })
    else { return }
    secrets.append((secret, placeholder))
    forms += Self.forms(of: secret, placeholder)
  }

  static func forms(of secret: [UInt8], _ placeholder: [UInt8]) -> [Form] {
    var forms = [Form(pattern: secret, placeholder: placeholder)]
    func add(_ pattern: [UInt8], _ placeholder: [UInt8]) {
      if !forms.contains(where: { $0.pattern == pattern }) {
        forms.append(Form(pattern: pattern, placeholder: placeholder))
      }
    }
    add(DecodedText.percentEncoded(secret), placeholder)
    add(DecodedText.percentEncoded(secret, lowercase: true), placeholder)
    add(DecodedText.jsonEscaped(secret), placeholder)
    add(Hex.encode(secret), Hex.encode(placeholder))
    add(Hex.encode(secret, uppercase: true), Hex.encode(placeholder, uppercase: true))
    for alphabet in [LooseBase64.Alphabet.standard, .url] {
      add(
        LooseBase64.encode(secret, alphabet, isPadded: false),
        LooseBase64.encode(placeholder, alphabet, isPadded: false))
    }
    return forms
  }

  /// Every further copy in a text.
  func copies(in text: ArraySlice<UInt8>) -> TextEdits {
    var edits = copies(in: text, forms.prefix(Self.maximumSearchedBytes / max(text.count, 1)))
    for run in LooseBase64.runs(in: text) {
      // Copies within longer base64, where no form of their own can be seen.
      guard let decoded = LooseBase64.decodedText(text[run]) else { continue }
      let inner = copies(in: decoded[...], forms[...])
      if !inner.isEmpty {
        edits.add(run, LooseBase64.encode(inner.applied(to: decoded[...]), like: text[run]))
      }
    }
    return edits
  }

  private func copies(in text: ArraySlice<UInt8>, _ forms: ArraySlice<Form>) -> TextEdits {
    var edits = TextEdits()
    for form in forms {
      for range in ByteSearch.all(form.pattern, in: text) where !Placeholder.holds(range, in: text) {
        edits.add(range, form.placeholder)
      }
    }
    return edits
  }
}
