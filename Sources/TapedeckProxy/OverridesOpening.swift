import TapedeckFormats
import TapedeckHTTP
package import TapedeckOverrides
import TapedeckRecording

extension OverridesFile {
  /// A file whose resources may begin with what cassettes hold.
  package init(readingCassettes path: String) {
    self.init(path) { cassette, file in
      let interactions = try Cassette.open(cassette).interactions
      let found = interactions.first { $0.fileName == file || $0.fileName == "\(file).json" }
      return found.flatMap {
        let (body, fields) = ($0.interaction.response.body, $0.interaction.response.head.fields)
        if let opened = body.opened(fields) { return opened.content }
        if case .bytes(let bytes) = body { return bytes }
        return nil
      }
    }
  }
}

extension ProxyConfiguration {
  /// Reads the overrides file, if there is one, and says what is in it.
  func readOverrides() throws(OverridesFileError) -> OverridesSnapshot? {
    guard let path = overridesFile else { return nil }
    let file = OverridesFile(readingCassettes: path)
    let snapshot = try OverridesSnapshot(file, mayBePipe: true)
    let document = try file.document(snapshot.bytes)
    overrides.take(document)
    notice("overrides: \(document.summary) from \(path)")
    return snapshot
  }
}
