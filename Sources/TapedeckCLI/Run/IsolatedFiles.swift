internal import Glibc
internal import TapedeckSockets

/// The files that a command in namespaces of its own sees in the place of the system's: where names are looked up, and
/// whom it trusts.
struct IsolatedFiles {
  /// What stands in whose place.
  let mounts: [(source: String, target: String)]

  /// - Parameter trust: keeps the files.
  init(_ trust: TrustFiles?) throws(Failure) {
    guard let trust else {
      mounts = []
      return
    }
    let authorities = (try? [UInt8](contentsOf: trust.bundle)) ?? []
    let bundle = try trust.add(authorities, as: "system-authorities.pem")
    var mounts = TrustFiles.systemBundles.map { (bundle, $0) }
    // The address at which the network's own name server is sure to be nobody else's.
    let texts = [
      "resolv.conf": "nameserver 198.18.0.1\n", "hosts": Self.hosts(Self.text("/etc/hosts")),
      "nsswitch.conf": Self.nameServices(Self.text("/etc/nsswitch.conf")),
    ]
    for (name, text) in texts {
      mounts.append((try trust.add(Array(text.utf8), as: name), "/etc/\(name)"))
    }
    // It looks names up for others, outside of the namespaces.
    mounts.append(("/dev/null", "/run/nscd/socket"))
    self.mounts = mounts
  }

  private static func text(_ path: String) -> String {
    (try? FileContents.read(path, mayBePipe: false)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// The names of this machine; those of others are to be asked for, so that their addresses tell them apart.
  static func hosts(_ text: String) -> String {
    let local = text.split(separator: "\n").filter { $0.hasPrefix("127.") || $0.hasPrefix("::1") }
    let known = Set(local.flatMap { $0.split(whereSeparator: \.isWhitespace) })
    let missing = ["localhost", hostName].filter { !$0.isEmpty && !known.contains($0[...]) }
    return (local.map(String.init) + missing.map { "127.0.0.1 \($0)" }).map { "\($0)\n" }.joined()
  }

  private static var hostName: String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// nsswitch.conf(5) in which hosts are looked up in files and by DNS alone: other services ask outside by unix sockets.
  static func nameServices(_ text: String) -> String {
    let others = text.split(separator: "\n", omittingEmptySubsequences: false).filter {
      !$0.drop(while: \.isWhitespace).hasPrefix("hosts:")
    }
    return others.joined(separator: "\n") + "\nhosts: files dns\n"
  }
}
