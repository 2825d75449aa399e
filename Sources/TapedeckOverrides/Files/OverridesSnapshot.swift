internal import TapedeckHTTP
internal import TapedeckSockets

/// An overrides file as it was at a moment.
package struct OverridesSnapshot: Sendable {
  let file: OverridesFile
  package let bytes: [UInt8]
  /// The paths of the file itself and those it names, and their stamps before they were read.
  let paths: [String]
  let stamps: [[Int]?]

  /// - Parameter mayBePipe: whether a file may be read that gives its bytes only once.
  package init(_ file: OverridesFile, mayBePipe: Bool) throws(OverridesFileError) {
    self.file = file
    let own = FileContents.stamp(file.path)
    do throws(FileContents.Problem) { bytes = try FileContents.read(file.path, mayBePipe: mayBePipe) } catch {
      throw .unreadable(file: file.path, problem: error.text)
    }
    let named = (try? JSONValue(parsing: bytes)).map(file.files.paths) ?? []
    paths = [file.path] + named
    stamps = [own] + named.map(FileContents.stamp)
  }

  /// Watches the file from now on; `nil` where that makes no sense, as for a pipe, or fails.
  package func watched(
    notice: @escaping @Sendable (String) -> Void, apply: @escaping @Sendable (OverridesDocument) -> Void
  ) -> OverridesWatch? {
    guard FileContents.isPlain(file.path) else { return nil }
    do throws(SocketError) {
      return try OverridesWatch(OverridesReloader.Start(snapshot: self, notice: notice, apply: apply))
    } catch {
      notice("overrides: \(file.path) cannot be watched (\(error)); restart to read it anew")
      return nil
    }
  }
}
