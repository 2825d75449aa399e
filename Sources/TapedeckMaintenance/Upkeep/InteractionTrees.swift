import TapedeckHTTP
import TapedeckRecording
import TapedeckRedaction

/// The interactions of a cassette as their files have them, with whatever members of their own people wrote there.
struct InteractionTrees {
  /// Nil where the cassette is no directory.
  let directory: CassetteDirectory?

  init(_ path: String) { directory = try? CassetteDirectory(opening: path) }

  /// The file's tree; nil where no file says what was loaded, as with an unsealed journal or another tool's file.
  func tree(of answer: StoredInteraction) throws(CassetteError) -> JSONValue? {
    guard let directory,
      let bytes = try directory.contents(of: answer.fileName, limit: CassetteLimits.fileBytes),
      let tree = try? JSONValue(parsing: bytes),
      let read = try? InteractionFormat.decode(
        tree, in: answer.fileName, loader: BodyLoader(directory: directory)),
      read == answer.interaction
    else { return nil }
    return tree
  }
}

extension CassetteRecorder {
  /// Records what another cassette has recorded, as it stands there.
  /// - Parameters:
  ///   - tree: the content of its file; nil to write it anew.
  ///   - source: where its bodies stand.
  func record(
    _ answer: StoredInteraction, tree: JSONValue?, from source: CassetteDirectory?, arrival: Int
  ) throws(CassetteError) {
    // What holds a secret is written anew, without it.
    guard let tree, let source, matcher.redaction.redacted(answer.interaction).count == 0 else {
      try record(answer.interaction, arrival: arrival)
      return
    }
    for name in InteractionFormat.bodyNames(tree) { try copyBody(name, from: source) }
    try record(answer.interaction, tree: tree, arrival: arrival)
  }

  private func copyBody(_ name: String, from source: CassetteDirectory) throws(CassetteError) {
    let file = try source.openBody(name)
    let reader = BodyFileReader(file, name: name, size: try file.status().size)
    let (spooled, spoolName) = try createSpoolFile()
    let digest = SHA256Stream()
    do throws(CassetteError) {
      var offset = 0
      while offset < reader.size {
        let piece = try reader.bytes(at: offset, count: 1 << 18)
        guard !piece.isEmpty else { break }
        try spooled.write(piece)
        piece.withUnsafeBytes(digest.update)
        offset += piece.count
      }
      _ = try adopt(spooled, spoolName, digest: digest.finish(), size: offset)
    } catch {
      removeSpoolFile(spoolName)
      throw error
    }
  }
}
