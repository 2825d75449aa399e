internal import Glibc

/// The soft limit of open files is kept low, often at 1,024, for programs that use `select`. This one does not, so it
/// takes what the hard limit grants; those it starts get back what there was.
enum DescriptorLimit {
  private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  private static let original: rlimit? = {
    var limits = rlimit()
    return getrlimit(resource, &limits) == 0 ? limits : nil
  }()

  static func raise() {
    guard var limits = original, limits.rlim_cur < limits.rlim_max else { return }
    limits.rlim_cur = limits.rlim_max
    setrlimit(resource, &limits)
  }

  /// Does something under the limit the process was started with.
  static func withOriginal<Result>(_ body: () -> Result) -> Result {
    guard var limits = original else { return body() }
    setrlimit(resource, &limits)
    defer { raise() }
    return body()
  }
}
