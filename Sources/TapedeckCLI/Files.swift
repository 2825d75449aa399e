internal import Glibc

/// Small files that the command line names.
enum Files {
  private static let limitBytes = 64 << 20

  static func read(_ path: String) throws(Failure) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw Failure("cannot read \(path): \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 * 1024)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count >= 0 else { throw Failure("cannot read \(path): \(String(cString: strerror(errno)))") }
      if count == 0 { return bytes }
      bytes += buffer[..<count]
      guard bytes.count <= limitBytes else { throw Failure("cannot read \(path): it is larger than 64 MiB") }
    }
  }
}
