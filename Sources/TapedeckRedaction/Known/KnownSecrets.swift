import TapedeckHTTP

/// The secrets of an exchange, to find copies of them where no name gives them away: in a path, another field or the
/// response; as they are, percent-encoded, JSON-escaped, in hexadecimal or base64.
package struct KnownSecrets {
  /// One way to write a secret, and its placeholder written in the same way.
  typealias Form = (pattern: [UInt8], placeholder: [UInt8])

  /// A text is searched once for each form of each secret.
  private static let maximumSecrets = 32
  /// How many bytes are searched in all for one text; in long texts only the first secrets are looked for.
  private static let maximumSearchedBytes = 1 << 30
  private static let minimumBytes = SecretValue.minimumLikelyBytes
  private static let maximumBytes = 4096

  /// In the order of their finds.
  private(set) var secrets: [(secret: [UInt8], placeholder: [UInt8])] = []
  private var forms: [Form] = []

  var isEmpty: Bool { forms.isEmpty }

  /// Adds a secret, unless it is so plain that a copy of it may mean something else.
  mutating func add(_ secret: [UInt8], _ placeholder: [UInt8]) {
    guard (Self.minimumBytes...Self.maximumBytes).contains(secret.count), secrets.count < Self.maximumSecrets,
      SecretValue.isSecret(secret[...], under: .likely), !secrets.contains(where: { $0.secret == secret })
    else { return }
    secrets.append((secret, placeholder))
    forms += Self.forms(of: secret, placeholder)
  }

  static func forms(of secret: [UInt8], _ placeholder: [UInt8]) -> [Form] {
    var forms: [Form] = [(secret, placeholder)]
    func add(_ pattern: [UInt8], _ placeholder: [UInt8]) {
      if !forms.contains(where: { $0.pattern == pattern }) { forms.append((pattern, placeholder)) }
    }
    add(DecodedText.percentEncoded(secret), placeholder)
    add(DecodedText.percentEncoded(secret, lowercase: true), placeholder)
    add(DecodedText.jsonEscaped(secret), placeholder)
    add(Hex.encode(secret), Hex.encode(placeholder))
    add(Hex.encode(secret, uppercase: true), Hex.encode(placeholder, uppercase: true))
    for isURL in [false, true] {
      add(
        LooseBase64.encode(secret, isURL: isURL, isPadded: false),
        LooseBase64.encode(placeholder, isURL: isURL, isPadded: false))
    }
    return forms
  }

  /// Every further copy in a text.
  func copies(in text: ArraySlice<UInt8>) -> Finds {
    var finds = copies(in: text, forms.prefix(Self.maximumSearchedBytes / max(text.count, 1)))
    for run in LooseBase64.runs(in: text) {
      // A copy within longer base64 has none of the forms.
      guard let decoded = LooseBase64.decodedText(text[run]) else { continue }
      let inner = copies(in: decoded[...], forms[...])
      if !inner.isEmpty {
        finds.add(run, LooseBase64.encode(inner.applied(to: decoded[...]), like: text[run]))
      }
    }
    return finds
  }

  private func copies(in text: ArraySlice<UInt8>, _ forms: ArraySlice<Form>) -> Finds {
    var finds = Finds()
    for form in forms {
      for range in ByteSearch.all(form.pattern, in: text) where !Placeholder.holds(range, in: text) {
        finds.add(range, form.placeholder)
      }
    }
    return finds
  }
}
