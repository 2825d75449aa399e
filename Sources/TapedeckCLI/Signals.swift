internal import Glibc

/// The signals that end a run, waited for instead of handled.
enum Signals {
  private static var ending: sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, SIGINT)
    sigaddset(&set, SIGTERM)
    return set
  }

  /// To be called before any thread is started: threads inherit the mask.
  static func block() {
    var set = ending
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Returns at the first SIGINT or SIGTERM. An impatient second Ctrl-C then ends the process at once; a recording
  /// that was not sealed yet stays in its journal.
  static func wait() {
    var set = ending
    var number: Int32 = 0
    while sigwait(&set, &number) != 0 {}
    sigdelset(&set, SIGTERM)
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }
}
