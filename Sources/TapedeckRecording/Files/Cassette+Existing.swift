internal import Glibc

extension Cassette {
  /// Whether there is anything where a cassette might be made.
  public static func exists(at path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0
  }
}
