internal import TapedeckHTTP
internal import TapedeckSockets

/// The content of an overrides file at one moment.
package struct OverridesSnapshot: Sendable {
  let file: OverridesFile
  package let bytes: [UInt8]
  /// The paths of the file itself and those it names, and their stamps before they were read.
  let paths: [String]
  let stamps: [[Int]?]

  /// - Parameter mayBePipe: whether it may be a pipe, which can be read only once.
  package init(_ file: OverridesFile, mayBePipe: Bool) throws(OverridesFileError) {
    self.file = file
    let own = FileContents.stamp(file.path)
    do throws(FileContents.Problem) { bytes = try FileContents.read(file.path, mayBePipe: mayBePipe) } catch {
      throw .unreadable(file: file.path, problem: error.text)
    }
    let named = (try? JSONValue(parsing: bytes)).map(file.paths) ?? []
    paths = [file.path] + named
    stamps = [own] + named.map(FileContents.stamp)
  }
}

/// A thread that reads an overrides file again when it is saved, so that clients do not wait for it.
package final class OverridesWatch: Sendable {
  private let thread: EventLoopThread

  /// Watches the file from now on; `nil` if it cannot be watched, such as a pipe.
  /// - Parameters:
  ///   - snapshot: the file as it was read when the proxy started.
  ///   - apply: receives the new content.
  package init?(
    _ snapshot: OverridesSnapshot, notice: @escaping @Sendable (String) -> Void,
    apply: @escaping @Sendable (OverridesDocument) -> Void
  ) {
    let path = snapshot.file.path
    guard FileContents.isPlain(path) else { return nil }
    @Sendable func fail(_ error: SocketError) {
      notice("overrides: \(path) cannot be watched (\(error)); restart to read it again")
    }
    do throws(SocketError) {
      thread = try EventLoopThread { loop in
        do throws(SocketError) {
          try OverridesReloader(snapshot, notice: notice, apply: apply).start(on: loop)
        } catch { fail(error) }
      }
    } catch {
      fail(error)
      return nil
    }
  }

  /// Stops watching, and returns when the thread has ended.
  package func stop() {
    thread.stop()
    thread.join()
  }
}
