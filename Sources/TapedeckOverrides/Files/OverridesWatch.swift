internal import TapedeckSockets

/// A thread that reads an overrides file anew when it is saved, so that no client waits for it.
package final class OverridesWatch: Sendable {
  private let thread: EventLoopThread

  init(_ start: OverridesReloader.Start) throws(SocketError) {
    thread = try EventLoopThread { loop in
      do throws(SocketError) { try OverridesReloader(start).start(on: loop) } catch {
        start.notice(
          "overrides: \(start.snapshot.file.path) cannot be watched (\(error)); restart to read it anew")
      }
    }
  }

  /// Returns when the thread has ended.
  package func stop() {
    thread.stop()
    thread.join()
  }
}
