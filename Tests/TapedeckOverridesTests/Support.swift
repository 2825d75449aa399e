@testable import TapedeckOverrides

/// An overrides file whose resources find no cassettes.
func overridesFile() -> OverridesFile { OverridesFile("o.json") { _, _ in nil } }

extension Overrides {
  /// Takes the text of an overrides file.
  func take(_ text: String) throws(OverridesFileError) {
    take(try overridesFile().document(Array(text.utf8)))
  }
}
