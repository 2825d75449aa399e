internal import Glibc

/// The signals that a run is about, waited for instead of handled.
enum Signals {
  /// Those that end a run.
  private static let ending = [SIGINT, SIGTERM]
  /// What a command that runs inside of ours is to hear of.
  private static let forwarded = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2]

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

  /// Returns at the first SIGINT or SIGTERM. An impatient second Ctrl-C then ends the process at once; a recording
  /// that was not sealed yet stays in its journal.
  static func wait() {
    var set = set(ending)
    var number: Int32 = 0
    while sigwait(&set, &number) != 0 {}
    sigdelset(&set, SIGTERM)
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
