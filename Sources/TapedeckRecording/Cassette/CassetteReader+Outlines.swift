import TapedeckHTTP

extension CassetteReader {
  /// An interaction file, checked, whose answer stays there; nil when it has gone.
  func outline(_ name: String, through buffer: FileBuffer) throws(CassetteError) -> LoadedAnswer? {
    guard let bytes = try buffer.read(name, in: directory, limit: CassetteLimits.fileBytes) else { return nil }
    let source = LoadedAnswer.Source.file(ContentFingerprint(bytes))
    if let outline = OutlineScan.outline(of: bytes, file: name, loader: loader) {
      return LoadedAnswer(
        name: name, outline: outline, key: matcher.key(for: outline.recorded.request), source: source,
        bytes: bytes.count + outline.recorded.request.body.count)
    }
    let file = directory.path(of: name)
    let stored = try interaction(
      try JSONFile.parse(Array(bytes), file: file), name: name, at: EntryPlace(file: file), bytes: bytes.count)
    return LoadedAnswer(stored, source: source)
  }
}
