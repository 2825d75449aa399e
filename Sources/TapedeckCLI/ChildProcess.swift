internal import Glibc

/// A command that runs with the standard streams and the process group of this process.
///
/// It starts without blocked or ignored signals, and with the limit of open files that this process was started with.
struct ChildProcess {
  let pid: pid_t

  /// Starts a command, searching `PATH`.
  /// - Parameter variables: added to the environment of this process, or replacing variables of it.
  static func start(_ command: [String], variables: [String: String]) throws(Failure) -> ChildProcess {
    var pid: pid_t = 0
    let words = command.map { strdup($0) } + [nil]
    let environment = environment(with: variables).map { strdup($0) } + [nil]
    defer { for pointer in words + environment { free(pointer) } }
    let error = withOriginalLimit {
      withAttributes { posix_spawnp(&pid, command[0], nil, $0, words, environment) }
    }
    guard error == 0 else { throw failure(command[0], error) }
    return ChildProcess(pid: pid)
  }

  static func failure(_ command: String, _ error: Int32) -> Failure {
    let isMissing = error == ENOENT || error == ENOTDIR
    let reason =
      if isMissing, !command.contains("/") {
        "no such command in PATH"
      } else if error == EACCES {
        "it is not executable; chmod +x makes it so"
      } else if error == ENOEXEC {
        "it is not a program; a script needs a first line such as #!/bin/sh"
      } else {
        String(cString: strerror(error))
      }
    var failure = Failure("cannot run \(command.debugDescription): \(reason)")
    // POSIX.1-2024, Shell Command Language §2.8.2.
    failure.code = ExitCode(rawValue: isMissing ? 127 : 126)
    return failure
  }

  // MARK: Limit of open files

  private static let limitedResource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  private static let originalLimit: rlimit? = {
    var limit = rlimit()
    return getrlimit(limitedResource, &limit) == 0 ? limit : nil
  }()

  /// Raises the soft limit of open files, often 1,024 for the sake of `select`, to the hard limit.
  static func raiseDescriptorLimit() {
    guard var limit = originalLimit else { return }
    limit.rlim_cur = limit.rlim_max
    setrlimit(limitedResource, &limit)
  }

  static func withOriginalLimit<Value, Problem: Error>(
    _ body: () throws(Problem) -> Value
  ) throws(Problem) -> Value {
    if var limit = originalLimit { setrlimit(limitedResource, &limit) }
    defer { raiseDescriptorLimit() }
    return try body()
  }

  private static func withAttributes(_ body: (UnsafePointer<posix_spawnattr_t>) -> Int32) -> Int32 {
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var blocked = sigset_t()
    sigemptyset(&blocked)
    posix_spawnattr_setsigmask(&attributes, &blocked)
    var restored = sigset_t()
    sigemptyset(&restored)
    sigaddset(&restored, SIGPIPE)
    posix_spawnattr_setsigdefault(&attributes, &restored)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    return body(&attributes)
  }

  /// - Parameter removed: names of variables that are left out.
  static func environment(with variables: [String: String], without removed: Set<String> = []) -> [String] {
    var entries: [String] = []
    var cursor = environ
    while let entry = cursor.pointee {
      let text = String(cString: entry)
      let name = String(text.prefix { $0 != "=" })
      if variables[name] == nil, !removed.contains(name) { entries.append(text) }
      cursor += 1
    }
    return entries + variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
  }

  /// Forwards signals until the command ends.
  /// - Returns: its exit code, or 128 plus the number of the signal that ended it, as in a shell.
  func wait() -> Int32 {
    while true {
      let signal = Signals.next()
      if signal.number == SIGCHLD {
        if let code = exitCode() { return code }
      } else if signal.isFromProcess {
        kill(pid, signal.number)
      }
    }
  }

  /// `nil` while it runs.
  private func exitCode() -> Int32? {
    var status: Int32 = 0
    guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }
}
