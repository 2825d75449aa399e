internal import Glibc
import TapedeckFormats
internal import TapedeckHTTP
internal import TapedeckProxy
internal import TapedeckRecording

/// Finds and loads the cassettes that the command line names.
enum CassettePath {
  /// The folder of bare names.
  static let folder = "Cassettes"

  /// Where a cassette can be read: one in an object store is fetched into the local cache.
  static func readable(_ name: String) throws -> String {
    RemoteCassettes.isMeant(by: name) ? try RemoteCassettes.folder(name) : try resolve(name)
  }

  /// A bare name is `Cassettes/NAME`; anything with a slash is a path. The bare name of another tool's file in the
  /// current folder, such as `session.har`, means that file unless `Cassettes/session.har` exists.
  static func resolve(_ name: String) throws(UsageError) -> String {
    if RemoteCassettes.isMeant(by: name) {
      throw UsageError(
        "\(name) is in an object store; copy it here first: tapedeck copy \(ShellWord.quoted(name)) NAME")
    }
    if name.contains("://") {
      throw UsageError("\(name) is no cassette; of URLs, s3://BUCKET/PREFIX names one")
    }
    if name.contains("/") { return name }
    let allowed = name.utf8.allSatisfy { ASCII.isWord($0) || $0 == UInt8(ascii: ".") }
    guard allowed, !name.hasPrefix("."), name.utf8.count <= 200 else {
      throw UsageError(
        "\(name.debugDescription) is not a cassette name: use letters, digits, '.', '_' and '-', or a path with a slash"
      )
    }
    let path = "\(folder)/\(name)"
    let isForeign = [".har", ".zhar", ".json", ".yaml", ".yml"].contains(where: name.hasSuffix)
    return isForeign && ForeignFile.isThere(name) && access(path, F_OK) != 0 ? name : path
  }

  /// A cassette as the user knows it: one that was read from an object store by its place there.
  static func shown(_ path: String) -> String { RemoteCassettes.place(of: path) ?? path }

  /// The name by which a command line needs to know a cassette: without `Cassettes/`, where that is its folder.
  static func shortName(_ path: String) -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 2 && parts[0] == folder && !parts[1].isEmpty ? String(parts[1]) : path
  }

  /// A suggestion of a similar name, for an error about an absent cassette.
  static func hint(for error: any Error) -> String {
    let absent: String
    switch (error as? CassetteError, error as? ProxyError) {
    case (.absent(let directory)?, _): absent = directory
    case (.system(_, let file, ENOENT, _)?, _): absent = file
    case (_, .cassetteAbsent(let directory)?): absent = directory
    default: return ""
    }
    let path = ForeignFile.withoutSlash(absent)
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    let others = (try? CassetteDirectory(opening: ForeignFile.parent(of: path)).names()) ?? []
    return name.suggestion(among: others.filter { $0 != name && !$0.hasPrefix(".") })
  }

  /// Loads a cassette by name or path, with progress, and prints its warnings.
  static func load(_ name: String) throws -> Cassette { try load(path: try readable(name)) }

  static func load(path: String) throws -> Cassette {
    let progress = Progress("loading")
    defer { progress.finish() }
    let cassette = try Cassette.open(path, progress: { progress.set($0, of: $1) })
    progress.finish()
    for warning in cassette.warnings { Terminal.say("warning: \(warning)") }
    return cassette
  }

  /// The interactions with this file name (the suffix may be left out), target or path, with this key in the file name, or
  /// with this prefix of it.
  static func interactions(of cassette: Cassette, named word: String) throws(Failure) -> [StoredInteraction] {
    func leaf(_ stored: StoredInteraction) -> String { ForeignFile.leaf(of: stored.fileName) }
    let tests: [(StoredInteraction) -> Bool] = [
      { $0.fileName == word || $0.fileName == word + ".json" },
      { leaf($0) == word || leaf($0) == word + ".json" },
      { $0.interaction.request.targetText == word || $0.interaction.request.shownTarget == word },
      { $0.interaction.request.path.elementsEqual(word.utf8) },
      { leaf($0).contains("-\(word).") },
      { $0.fileName.hasPrefix(word) || leaf($0).hasPrefix(word) },
    ]
    for test in tests {
      let found = cassette.interactions.filter(test)
      if !found.isEmpty { return found }
    }
    let known = cassette.interactions.flatMap { [$0.fileName, $0.interaction.request.targetText] }
    let name = shown(cassette.path)
    throw Failure(
      "\(name) has no interaction \(word.debugDescription)\(word.suggestion(among: known))"
        + "; 'tapedeck ls \(ShellWord.quoted(name))' lists them")
  }
}
