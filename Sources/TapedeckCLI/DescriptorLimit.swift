internal import Glibc

/// The soft limit of open files is kept low, often at 1,024, for programs that use `select`. This one does not, so it
/// takes what the hard limit grants.
enum DescriptorLimit {
  static func raise() {
    var limits = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limits) == 0, limits.rlim_cur < limits.rlim_max else { return }
    limits.rlim_cur = limits.rlim_max
    setrlimit(resource, &limits)
  }
}
