internal import Glibc

/// A command that could not be started; the exit code is the one that shells give.
struct CommandFailure: Error, CustomStringConvertible {
  let command: String
  private let systemError: Int32

  init(_ command: String, _ systemError: Int32) {
    self.command = command
    self.systemError = systemError
  }

  private var isMissing: Bool { systemError == ENOENT || systemError == ENOTDIR }

  /// POSIX.1-2024, Shell Command Language §2.8.2.
  var code: ExitCode { ExitCode(rawValue: isMissing ? 127 : 126) }

  var description: String {
    let why =
      if isMissing, !command.contains("/") {
        "there is no such command in PATH"
      } else if systemError == EACCES {
        "it is not executable; chmod +x makes it so"
      } else if systemError == ENOEXEC {
        "it is no program; a script needs a first line like #!/bin/sh"
      } else {
        String(cString: strerror(systemError))
      }
    return "cannot run \(command.debugDescription): \(why)"
  }
}

/// A command that runs inside of ours, with our standard streams, in our process group.
///
/// Its signals are as they were before we changed them: nothing blocked, nothing ignored; and it may open as many files
/// as our own caller let us.
struct ChildProcess {
  let pid: pid_t

  /// Starts a command, looked for in `PATH`.
  /// - Parameter variables: what its environment has besides ours, or instead.
  static func start(_ command: [String], variables: [String: String]) throws(CommandFailure) -> ChildProcess {
    var pid: pid_t = 0
    let words = command.map { strdup($0) } + [nil]
    let environment = environment(with: variables).map { strdup($0) } + [nil]
    defer { for pointer in words + environment { free(pointer) } }
    let code = DescriptorLimit.withOriginal {
      withAttributes { posix_spawnp(&pid, command[0], nil, $0, words, environment) }
    }
    guard code == 0 else {
      throw CommandFailure(command[0], code)
    }
    return ChildProcess(pid: pid)
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

  private static func environment(with variables: [String: String]) -> [String] {
    var entries: [String] = []
    var cursor = environ
    while let entry = cursor.pointee {
      let text = String(cString: entry)
      if variables[String(text.prefix { $0 != "=" })] == nil { entries.append(text) }
      cursor += 1
    }
    return entries + variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
  }

  /// Passes signals on until it has ended.
  /// - Returns: its exit code; 128 and the number of the signal that ended it, as shells have it.
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

  /// Nil while it runs.
  private func exitCode() -> Int32? {
    var status: Int32 = 0
    guard waitpid(pid, &status, WNOHANG) == pid else { return nil }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
  }
}
