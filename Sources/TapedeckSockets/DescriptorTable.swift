internal import Glibc

/// How many descriptors this process may hold.
public enum DescriptorTable {
  public static var limit: Int {
    var limits = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { return 1024 }
    return Int(clamping: limits.rlim_cur)
  }
}
