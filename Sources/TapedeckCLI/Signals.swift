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

  /// Returns at the first SIGINT or SIGTERM; a second one then ends the process at once.
  static func wait() {
    var set = ending
    var number: Int32 = 0
    while sigwait(&set, &number) != 0 {}
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }
}
