internal import Glibc

/// Files as bodies. The only place of this room that touches the disk.
enum WholeFile {
  private static let pieceBytes = 64 * 1024

  static func bytes(_ path: String) throws(FileError) -> [UInt8] {
    guard let file = fopen(path, "rbe") else { throw FileError(path: path, errno) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: pieceBytes)
    while true {
      let count = fread(&piece, 1, pieceBytes, file)
      bytes += piece[..<count]
      if count < pieceBytes { break }
    }
    guard ferror(file) == 0 else { throw FileError(path: path, errno) }
    return bytes
  }
}

/// Why a file cannot be given.
public struct FileError: Error, Equatable, Sendable, CustomStringConvertible {
  public let path: String
  public let problem: String

  init(path: String, _ code: Int32) {
    self.path = path
    problem = String(cString: strerror(code))
  }

  public var description: String { "\(path): \(problem)" }
}
