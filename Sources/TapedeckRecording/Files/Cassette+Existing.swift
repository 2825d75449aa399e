internal import Glibc

extension Cassette {
  /// Whether there is anything where a cassette might be made.
  public static func exists(at path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }

  /// Whether it was read from a file of another tool, into which nothing is recorded.
  package var isForeignFile: Bool { ForeignFile.isThere(path) }
}
