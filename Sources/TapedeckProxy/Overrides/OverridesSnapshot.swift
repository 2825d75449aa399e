internal import TapedeckHTTP

/// An overrides file as it was at a moment.
struct OverridesSnapshot: Sendable {
  let file: String
  let bytes: [UInt8]
  /// The file itself and those it names, and what they were like before they were read.
  let files: [String]
  let stamps: [[Int]?]

  /// - Parameter mayBePipe: whether it may be read that gives its bytes only once.
  init(_ file: String, mayBePipe: Bool) throws(ProxyError) {
    self.file = file
    let own = FileBytes.stamp(file)
    do throws(FileBytes.Problem) { bytes = try FileBytes.read(file, mayBePipe: mayBePipe) } catch {
      throw .overridesUnreadable(file: file, problem: error.text)
    }
    let document = try? JSONValue(parsing: bytes)
    let named = document.map { RuleFile.paths(in: $0, folder: OverridesFile.folder(of: file)) } ?? []
    files = [file] + named
    stamps = [own] + named.map(FileBytes.stamp)
  }
}
