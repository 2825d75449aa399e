internal import Glibc

/// From the name of a cassette to its folder, or to the file that is read in place of one.
enum CassettePath {
  /// Where bare names are looked for.
  static let folder = "Cassettes"

  /// A bare name is `Cassettes/NAME`; anything with a slash is a path. A file of another tool in the current folder, such
  /// as `session.har`, goes by its bare name while there is no `Cassettes/session.har`.
  static func resolve(_ name: String) throws(UsageError) -> String {
    if name.contains("/") { return name }
    let allowed = name.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard allowed, !name.hasPrefix("."), name.utf8.count <= 200 else {
      throw UsageError(
        "\(name.debugDescription) is no cassette name: use letters, digits, '.', '_' and '-', or a path with a slash"
      )
    }
    let path = "\(folder)/\(name)"
    return isFile(name) && access(path, F_OK) != 0 ? name : path
  }

  private static let suffixes = [".har", ".zhar", ".json", ".yaml", ".yml"]

  private static func isFile(_ name: String) -> Bool {
    suffixes.contains(where: name.hasSuffix) && Files.isRegular(name)
  }
}
