import TapedeckHTTP

/// Reads interaction files whose answers stay there: checked, but with nothing kept of the answers. One thread uses a
/// reader.
final class OutlineReader {
  private let reader: CassetteReader
  private let buffer = FileBuffer()
  private let lastFields = LastFields()

  init(_ reader: CassetteReader) { self.reader = reader }

  /// Nil when the file has gone.
  func answer(_ name: String) throws(CassetteError) -> LoadedAnswer? {
    let directory = reader.directory
    guard let bytes = try buffer.read(name, in: directory, limit: CassetteLimits.fileBytes) else {
      return nil
    }
    let source = LoadedAnswer.Source.file(ContentFingerprint(bytes))
    if let outline = OutlineScan.outline(of: bytes, loader: reader.loader, lastFields: lastFields) {
      let request = outline.recorded.request
      return LoadedAnswer(
        name: name, outline: outline, key: reader.matcher.key(for: request), source: source,
        bytes: bytes.count + request.body.count)
    }
    let file = directory.path(of: name)
    let stored = try reader.interaction(
      try JSONFile.parse(Array(bytes), file: file), name: name, in: file, bytes: bytes.count
    )
    return LoadedAnswer(stored, source: source)
  }
}
