internal import CSystem
internal import Glibc

/// Why a command could not be started in namespaces of its own.
package struct IsolationError: Error, CustomStringConvertible {
  package enum Step: UInt32, Sendable {
    case process = 1
    case namespaces, identity, loopback, routes, sockets, files
    /// The namespaces were made; the command itself could not be run.
    case command
  }

  package let step: Step
  /// The `errno` of the step.
  package let code: Int32

  init(_ step: Step, code: Int32) { (self.step, self.code) = (step, code) }

  init(_ failure: td_isolation_failure) {
    self.init(Step(rawValue: UInt32(bitPattern: failure.step)) ?? .process, code: failure.code)
  }

  /// What was refused, and the setting that allows it.
  package var description: String { "\(refusal): \(String(cString: strerror(code)))\(remedy)" }

  private var refusal: String {
    switch step {
    case .process: "the command's process cannot be made"
    case .namespaces: "the kernel refuses the namespaces"
    case .identity: "the kernel refuses to keep the user in a namespace"
    case .loopback: "the kernel refuses a loopback interface in the namespace"
    case .routes: "the kernel refuses routes in the namespace"
    case .sockets: "the kernel refuses sockets in the namespace"
    case .files: "the kernel refuses mounts in the namespace"
    case .command: "the command cannot be run"
    }
  }

  /// The first limit found of those that systems set. Empty where none is, or the failure has another cause.
  private var remedy: String {
    guard step != .command, step != .process else { return "" }
    for limit in Self.limits where Self.setting(limit.file) == limit.value {
      return "; \(limit.reason), which this allows: \(limit.remedy)"
    }
    guard code == EPERM || code == EACCES || code == ENOSYS, Self.hasSystemCallFilter else { return "" }
    return "; a container forbids it, which this allows: docker run --security-opt seccomp=unconfined "
      + "(for root: --cap-add SYS_ADMIN --cap-add NET_ADMIN), and where the host has AppArmor "
      + "--security-opt apparmor=unconfined"
  }

  private struct Limit {
    let file: String
    let value: String
    let reason: String
    let remedy: String
  }

  private static let limits = [
    Limit(
      file: "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", value: "1",
      reason: "AppArmor restricts them", remedy: "sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"),
    Limit(
      file: "/proc/sys/kernel/unprivileged_userns_clone", value: "0", reason: "they are for root only",
      remedy: "sudo sysctl kernel.unprivileged_userns_clone=1"),
    Limit(
      file: "/proc/sys/user/max_user_namespaces", value: "0", reason: "the limit of user namespaces is 0",
      remedy: "sudo sysctl user.max_user_namespaces=10000"),
    Limit(
      file: "/proc/sys/user/max_net_namespaces", value: "0", reason: "the limit of network namespaces is 0",
      remedy: "sudo sysctl user.max_net_namespaces=10000"),
    Limit(
      file: "/proc/sys/user/max_mnt_namespaces", value: "0", reason: "the limit of mount namespaces is 0",
      remedy: "sudo sysctl user.max_mnt_namespaces=10000"),
  ]

  private static func setting(_ file: String) -> String? {
    let text = (try? FileContents.read(file, mayBePipe: false)).map { String(decoding: $0, as: UTF8.self) }
    return text.map { String($0.prefix { !$0.isWhitespace }) }
  }

  /// proc_pid_status(5): `Seccomp` is 2 under a filter.
  private static var hasSystemCallFilter: Bool {
    guard let status = try? FileContents.read("/proc/self/status", mayBePipe: false) else { return false }
    return String(decoding: status, as: UTF8.self).split(separator: "\n").contains("Seccomp:\t2")
  }
}
