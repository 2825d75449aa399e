import TapedeckHTTP

/// A user's rules, prepared for a search.
package final class RedactionPolicy: Sendable {
  private let key: [UInt8]
  /// Whether finds are reported. The scanner finds what redaction finds, and reads bodies that are not text too.
  let reports: Bool
  let textGlobs: [Glob]
  let paths: [JSONPath]
  private let nameGlobs: [Glob]
  private let keptGlobs: [Glob]

  init(_ rules: RedactionRules, reports: Bool = false) {
    key = Array(rules.key.utf8)
    self.reports = reports
    nameGlobs = rules.redact.compactMap { if case .name(let glob) = $0.form { glob } else { nil } }
    paths = rules.redact.compactMap { if case .path(let path) = $0.form { path } else { nil } }
    textGlobs = rules.redact.compactMap { if case .text(let glob) = $0.form { glob } else { nil } }
    keptGlobs = rules.keep.map(Glob.init)
  }

  var hasNameRules: Bool { !nameGlobs.isEmpty || !keptGlobs.isEmpty }

  var hasRules: Bool { hasNameRules || !textGlobs.isEmpty || !paths.isEmpty }

  /// The first four bytes of the HMAC-SHA-256 of a value, as eight hexadecimal digits.
  func digits(of value: [UInt8]) -> [UInt8] {
    ASCII.hexDigits(Array(SHA256Digest(of: value, key: key).bytes.prefix(4)))
  }

  func verdict(on name: ArraySlice<UInt8>, in place: SecretNames.Place) -> SecretNames.Strength {
    if hasNameRules {
      if nameGlobs.contains(where: { $0.matches(name) }) { return .hide }
      if keptGlobs.contains(where: { $0.matches(name) }) { return .keep }
    }
    return SecretNames.strength(of: name, in: place)
  }

  /// A cookie is kept only under its own full name, and never under the name of a secret.
  func verdict(onCookie name: ArraySlice<UInt8>) -> SecretNames.Strength {
    let verdict = verdict(on: name, in: .pair)
    guard verdict == .keep else { return verdict }
    let strength = SecretNames.strength(of: name, in: .pair)
    return strength == .none && keptGlobs.contains { $0.isPlain && $0.matches(name) } ? .keep : strength
  }

  func keeps(kind: String) -> Bool {
    !keptGlobs.isEmpty && keptGlobs.contains { $0.matches(Array(kind.utf8)[...]) }
  }
}
