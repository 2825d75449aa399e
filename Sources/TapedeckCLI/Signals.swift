internal import Glibc

/// Signals. They are blocked and waited for instead of handled.
enum Signals {
  /// The signals that end a run. SIGHUP is left out if the caller ignores it, as nohup(1) does: `sigwait` would return it
  /// nevertheless.
  private static let ending = [SIGINT, SIGTERM] + (ignoresHangup ? [] : [SIGHUP])
  /// The signals that are forwarded to a command.
  private static let forwarded = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2]

  private static var ignoresHangup: Bool {
    var action = sigaction()
    return sigaction(SIGHUP, nil, &action) == 0
      && unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Whether a signal that ends a run is pending.
  static var isEndPending: Bool {
    var pending = sigset_t()
    sigpending(&pending)
    return ending.contains { sigismember(&pending, $0) == 1 }
  }

  private static func set(_ numbers: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    return set
  }

  /// Must be called before any thread is started, since threads inherit the mask.
  static func block() { block(ending) }

  /// Like `block`, for a run with a command: also blocks the signals that are forwarded to it, and SIGCHLD.
  static func blockForCommand() { block(forwarded + [SIGCHLD]) }

  private static func block(_ numbers: [Int32]) {
    var set = set(numbers)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Returns at the first signal that ends a run. A second Ctrl-C then ends the process at once, and an unsealed recording
  /// stays in its journal.
  static func wait() {
    var set = set(ending)
    var number: Int32 = 0
    while sigwait(&set, &number) != 0 {}
    sigdelset(&set, SIGTERM)
    // When a terminal is closed, it sends SIGHUP, and the shell sends another.
    sigdelset(&set, SIGHUP)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// The next signal of those blocked for a command, and whether a process sent it. A terminal sends its signals to the
  /// command as well.
  static func next() -> (number: Int32, isFromProcess: Bool) {
    var set = set(forwarded + [SIGCHLD])
    var info = siginfo_t()
    while true {
      let number = sigwaitinfo(&set, &info)
      if number > 0 { return (number, info.si_code <= 0) }
    }
  }
}
