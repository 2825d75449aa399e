import TapedeckHTTP

/// A user's rules, prepared for a search.
package final class RedactionPolicy: Sendable {
  let key: RedactionKey
  let thresholds: SearchThresholds
  let textGlobs: [Glob]
  let paths: [JSONPath]
  private let nameGlobs: [Glob]
  private let keptGlobs: [Glob]

  init(_ rules: RedactionRules, _ thresholds: SearchThresholds = .redaction) {
    key = rules.key
    self.thresholds = thresholds
    nameGlobs = rules.redact.compactMap { if case .name(let glob) = $0.form { glob } else { nil } }
    paths = rules.redact.compactMap { if case .path(let path) = $0.form { path } else { nil } }
    textGlobs = rules.redact.compactMap { if case .text(let glob) = $0.form { glob } else { nil } }
    keptGlobs = rules.keep.map(Glob.init)
  }

  /// Whether the user has rules for names.
  var hasNameRules: Bool { !nameGlobs.isEmpty || !keptGlobs.isEmpty }

  /// Whether the user has rules at all.
  var hasRules: Bool { hasNameRules || !textGlobs.isEmpty || !paths.isEmpty }

  /// What happens to the value under a name.
  enum Verdict: Equatable {
    /// The user has it hidden, whatever it is.
    case hide
    /// The user keeps it, with everything in it.
    case keep
    /// The value decides.
    case judge(SecretNames.Strength)
  }

  func verdict(on name: ArraySlice<UInt8>, in place: SecretNames.Place) -> Verdict {
    if hasNameRules {
      if nameGlobs.contains(where: { $0.matches(name) }) { return .hide }
      if keptGlobs.contains(where: { $0.matches(name) }) { return .keep }
    }
    guard thresholds.reports else { return .judge(SecretNames.strength(of: name, in: place)) }
    return .judge(SecretNames.suspicion(of: name, in: place))
  }

  func keeps(kind: String) -> Bool {
    !keptGlobs.isEmpty && keptGlobs.contains { $0.matches(Array(kind.utf8)[...]) }
  }
}

/// How far a search goes. Redaction finds only what is surely a secret, since it changes what is recorded; the scanner
/// also reports what may be one, and reads places that redaction leaves alone.
struct SearchThresholds: Sendable {
  /// Whether finds carry evidence, and names and values that only may be secrets count (`Strength.doubtful`).
  var reports = false
  /// Longer bodies are read as text, whatever their form.
  var maximumStructuredBytes = SecretSearch.maximumStructuredBytes
  /// The shortest private key in PEM that counts; shorter ones stand in texts about keys.
  var minimumKeyBytes = 0
  /// Whether bodies are searched that are no text.
  var readsBinary = false
  /// Whether a path is searched segment by segment.
  var splitsPaths = true
  /// Whether base64 is opened that holds gzip.
  var opensPackedText = false
  /// Whether `["name", "value"]` in JSON is a name and its value.
  var readsArrayPairs = false
  /// Whether the names in `"cookies": [{"name": …, "value": …}]` are those of cookies.
  var readsCookieLists = false
  /// Whether a value in a text may stand in a YAML list, behind a scheme such as `Bearer`, or in quotes that are not
  /// closed.
  var readsLooseTexts = false
  /// Whether the right side of an assignment in a program is no value.
  var sparesCode = false

  static let redaction = SearchThresholds()

  static let scanner = SearchThresholds(
    reports: true, maximumStructuredBytes: .max, minimumKeyBytes: 40, readsBinary: true, splitsPaths: false,
    opensPackedText: true, readsArrayPairs: true, readsCookieLists: true, readsLooseTexts: true,
    sparesCode: true)
}
