package import TapedeckHTTP

/// Makes of the exchanges of a cassette what is sent.
package final class AnswerMaker: Sendable {
  package typealias Prepare = @Sendable (Interaction, CassetteOrigin) -> PreparedResponse?

  private let directory: CassetteDirectory?
  private let origin: CassetteOrigin
  private let prepare: Prepare

  /// - Parameter directory: nil where everything is held.
  package init(directory: CassetteDirectory?, origin: CassetteOrigin, prepare: @escaping Prepare) {
    self.directory = directory
    self.origin = origin
    self.prepare = prepare
  }

  func content(_ interaction: Interaction) -> AnswerContent {
    AnswerContent(interaction, prepared: prepare(interaction, origin))
  }

  func read(_ name: String, _ source: LoadedAnswer.Source) throws(CassetteError) -> Interaction {
    switch source {
    case .held(let interaction): return interaction
    case .file(let fingerprint):
      guard let directory, let bytes = try directory.contents(of: name, limit: CassetteLimits.fileBytes),
        bytes.withUnsafeBytes(ContentFingerprint.init) == fingerprint
      else {
        throw .changedSinceLoaded(file: directory?.path(of: name) ?? name)
      }
      let file = directory.path(of: name)
      return try InteractionFormat.decode(
        try JSONFile.parse(bytes, file: file), in: file,
        loader: BodyLoader(directory: directory))
    }
  }
}
