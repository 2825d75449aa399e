internal import Glibc

/// Ends the process when its threads do not stop in time, whatever they are doing.
///
/// Nothing is sealed then: what was recorded stays in the journal, which the next start recovers.
enum StopDeadline {
  /// How long exchanges in flight may take.
  static let graceSeconds = 10
  /// After which a thread that listens to nobody is given up.
  private static let seconds: UInt32 = 12

  static func whileStopping(_ stop: () -> Void) {
    // Made now: a signal handler must not be the first to ask for it.
    _ = ExitCode.failure
    signal(SIGALRM) { _ in StopDeadline.giveUp() }
    alarm(seconds)
    stop()
    alarm(0)
  }

  /// Runs as a signal handler: calls nothing but what is async-signal-safe.
  private static func giveUp() {
    let text: StaticString = """
      tapedeck: a thread did not stop within 12 seconds; nothing was sealed, and the next start with this \
      cassette recovers what was recorded

      """
    write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    _exit(ExitCode.failure.rawValue)
  }
}
