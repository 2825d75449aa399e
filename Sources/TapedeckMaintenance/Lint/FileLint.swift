import TapedeckFormats
import TapedeckHTTP
package import TapedeckRecording

/// Looks through a file of another tool: for what stricter readers than ours would stumble over, where it is a HAR, and
/// for all that would not be carried over into a cassette.
package struct FileLint {
  /// In the order of the file, the worst of one place first.
  package private(set) var findings: [LintFinding] = []
  package private(set) var interactionCount = 0

  /// Whether a path leads to such a file, and not to a cassette.
  package static func isFile(_ path: String) -> Bool { ForeignFile.isThere(path) }

  /// - Throws: when there is no such file, or none that is known.
  package init(_ path: String) throws(CassetteError) {
    let source = try ImportSource(unpacking: path)
    do throws(CassetteError) {
      let session = try ImportedSession.read(source)
      interactionCount = session.exchanges.count
      findings = try Self.strictness(source) + session.notes.map(Self.finding)
    } catch {
      guard Self.isDamage(error) else { throw error }
      findings = [LintFinding(.error, .unreadable, "", error.description)]
    }
  }

  /// Whether a file is of a kind that is known, and cannot be read all the same.
  private static func isDamage(_ error: CassetteError) -> Bool {
    switch error {
    case .invalidJSON, .invalidYAML, .invalidEntry: true
    default: false
    }
  }

  private static func strictness(_ source: ImportSource) throws(CassetteError) -> [LintFinding] {
    guard ImportedSession.beginsAsJSON(source.bytes) else { return [] }
    let document = try LenientJSON.parse(source.bytes, file: source.path)
    guard ImportFormat.detect(document) == .har else { return [] }
    return HARLint(document, bytes: source.bytes).findings
  }

  /// What the import would say.
  private static func finding(_ note: ImportNote) -> LintFinding {
    let severity: LintFinding.Severity = note.severity == .skipped ? .warning : .info
    let request = note.request.isEmpty ? "" : "\(note.request): "
    return LintFinding(severity, .notCarriedOver, note.entry, request + note.problem)
  }
}
