internal import Glibc

/// The signals that a run is about, waited for instead of handled.
enum Signals {
  /// Those that end a run. A hangup does not where our caller ignores it, as nohup(1) does: a signal that is blocked is
  /// waited for even so.
  private static let ending = [SIGINT, SIGTERM] + (ignoresHangup ? [] : [SIGHUP])
  /// What a command that runs inside of ours is to hear of.
  private static let forwarded = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2]

  private static var ignoresHangup: Bool {
    var action = sigaction()
    return sigaction(SIGHUP, nil, &action) == 0
      && unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Whether one that ends a run has come already.
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

  /// To be called before any thread is started: threads inherit the mask.
  static func block() { block(ending) }

  /// As `block`, when a command is going to run: then whatever it should hear of waits, and its end too.
  static func blockForCommand() { block(forwarded + [SIGCHLD]) }

  private static func block(_ numbers: [Int32]) {
    var set = set(numbers)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Returns at the first of them. An impatient second Ctrl-C then ends the process at once; a recording
  /// that was not sealed yet stays in its journal.
  static func wait() {
    var set = set(ending)
    var number: Int32 = 0
    while sigwait(&set, &number) != 0 {}
    sigdelset(&set, SIGTERM)
    // A terminal that goes away sends one, and its shell another.
    sigdelset(&set, SIGHUP)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// The next signal among those blocked for a command, and whether a process sent it: what a terminal sends goes to
  /// the command as well as to us.
  static func next() -> (number: Int32, isFromProcess: Bool) {
    var set = set(forwarded + [SIGCHLD])
    var info = siginfo_t()
    while true {
      let number = sigwaitinfo(&set, &info)
      if number > 0 { return (number, info.si_code <= 0) }
    }
  }
}
