internal import Glibc
internal import TapedeckProxy
internal import TapedeckRecording

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

  /// For an error that says that a cassette is not there: the one beside it whose name is nearly the same.
  static func hint(for error: any Error) -> String {
    let path: String
    switch (error as? CassetteError, error as? ProxyError) {
    case (.absent(let directory)?, _): path = directory
    case (.system(_, let file, ENOENT, _)?, _): path = file
    case (_, .cassetteAbsent(let directory)?): path = directory
    default: return ""
    }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard let name = parts.last(where: { !$0.isEmpty }) else { return "" }
    let parent = parts.count > 1 ? parts.dropLast().joined(separator: "/") : "."
    let others = Files.names(in: parent.isEmpty ? "/" : parent).filter { $0 != name }
    return Spelling.hint(name, among: others)
  }

  private static let suffixes = [".har", ".zhar", ".json", ".yaml", ".yml"]

  private static func isFile(_ name: String) -> Bool {
    suffixes.contains(where: name.hasSuffix) && Files.isRegular(name)
  }
}
