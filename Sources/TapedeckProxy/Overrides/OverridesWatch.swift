internal import TapedeckSockets

/// A thread on which an overrides file is read anew when it is saved: reading may take a moment, and no client waits.
final class OverridesWatch: Sendable {
  private let thread: EventLoopThread

  init(
    _ first: OverridesSnapshot, into sessions: Sessions, notice: @escaping @Sendable (String) -> Void
  ) throws(SocketError) {
    thread = try EventLoopThread { loop in
      do throws(SocketError) {
        try OverridesReloader(first, into: sessions, notice: notice).start(on: loop)
      } catch {
        notice("overrides: \(first.file) cannot be watched (\(error)); restart to read it anew")
      }
    }
  }

  /// Returns when nothing is read any more.
  func stop() {
    thread.stop()
    thread.join()
  }
}

extension OverridesSnapshot {
  /// Watches the file from now on; nil where that makes no sense, as for a pipe, or cannot be.
  func watched(for configuration: ProxyConfiguration, _ sessions: Sessions) -> OverridesWatch? {
    guard FileBytes.isPlain(file) else { return nil }
    do throws(SocketError) {
      return try OverridesWatch(self, into: sessions, notice: configuration.notice)
    } catch {
      configuration.notice("overrides: \(file) cannot be watched (\(error)); restart to read it anew")
      return nil
    }
  }
}
