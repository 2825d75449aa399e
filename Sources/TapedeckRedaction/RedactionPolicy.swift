import TapedeckHTTP

/// Rules in the form in which they are asked.
package final class RedactionPolicy: Sendable {
  let key: RedactionKey
  let textGlobs: [Glob]
  let paths: [JSONPath]
  private let nameGlobs: [Glob]
  private let keptGlobs: [Glob]

  init(_ rules: RedactionRules) {
    key = rules.key
    nameGlobs = rules.redact.compactMap { if case .name(let glob) = $0.form { glob } else { nil } }
    paths = rules.redact.compactMap { if case .path(let path) = $0.form { path } else { nil } }
    textGlobs = rules.redact.compactMap { if case .text(let glob) = $0.form { glob } else { nil } }
    keptGlobs = rules.keep.map(Glob.init)
  }

  /// Whether the user has a say in how names are judged.
  var hasNameRules: Bool { !nameGlobs.isEmpty || !keptGlobs.isEmpty }

  /// Whether the user has any say.
  var hasRules: Bool { hasNameRules || !textGlobs.isEmpty || !paths.isEmpty }

  /// What is to be done with what stands under a name.
  enum Verdict: Equatable {
    /// The user said so: any value.
    case hide
    /// The user said so: nothing in it.
    case keep
    case judge(SecretNames.Strength)
  }

  func verdict(on name: ArraySlice<UInt8>, in place: SecretNames.Place) -> Verdict {
    if hasNameRules {
      if nameGlobs.contains(where: { $0.matches(name) }) { return .hide }
      if keptGlobs.contains(where: { $0.matches(name) }) { return .keep }
    }
    return .judge(SecretNames.strength(of: name, in: place))
  }

  func keeps(kind: String) -> Bool {
    !keptGlobs.isEmpty && keptGlobs.contains { $0.matches(Array(kind.utf8)[...]) }
  }
}
