internal import Glibc

/// What the system lets this process have.
enum Limits {
  /// Raises the soft limit of open descriptors to the hard one: the usual soft limit of 1,024 is for programs that use
  /// `select`, and each client and each connection to the origin takes one.
  static func raiseDescriptorLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
