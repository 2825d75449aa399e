/// Facts about a cassette that do not require reading its interactions.
public struct CassetteSummary: Sendable, Equatable {
  public var name: String
  /// `nil` if only a full read could tell.
  public var interactions: Int?
  public var upstream: String?
  /// Its origins, if it is a recording of several.
  public var origins: [String]?
  /// The size of all its files, including bodies.
  public var bytes = 0
  /// Whether a journal exists, during a recording or after a crash.
  public var hasJournal = false
  /// A problem found on the way; there may be others.
  public var problem: String?

  /// The cassettes in a folder, by name; empty when the folder does not exist.
  public static func all(in folder: String) throws(CassetteError) -> [CassetteSummary] {
    let directory: CassetteDirectory
    do throws(CassetteError) { directory = try CassetteDirectory(opening: folder) } catch .absent {
      return []
    }
    return try directory.names().filter { !$0.hasPrefix(".") }.map { name throws(CassetteError) in
      ForeignFile.isHAR(name)
        ? CassetteSummary(name: name, bytes: try directory.size(of: name) ?? 0)
        : summary(of: name, at: directory.path(of: name))
    }.compactMap(\.self)
  }

  /// - Parameter path: the cassette's folder.
  /// - Returns: `nil` for what is no cassette.
  public static func summary(of name: String, at path: String) -> CassetteSummary? {
    var summary = CassetteSummary(name: name)
    do throws(CassetteError) {
      let directory = try CassetteDirectory(opening: path)
      let names = try directory.names()
      let files = names.filter(CassetteNames.isInteraction)
      summary.hasJournal = names.contains(CassetteNames.journal)
      let isEmpty = files.isEmpty && !summary.hasJournal && !names.contains(CassetteNames.manifest)
      if isEmpty, try directory.interactionWithOrigin(names) == nil { return nil }
      summary.interactions = files.count
      summary.bytes = try size(of: names, in: directory)
      let manifest = try CassetteReader(directory).manifest()
      (summary.upstream, summary.origins) = (manifest?.upstream, manifest?.origins)
      guard try directory.origins(names, manifest) == .several else { return summary }
      let inFolders = try directory.interactionNames(names, inFolders: true).filter { $0.contains("/") }
      summary.interactions = files.count + inFolders.count
      for name in inFolders { summary.bytes += try directory.size(of: name) ?? 0 }
    } catch {
      // A plain file beside the cassettes is neither a cassette nor a problem.
      if case .system(_, _, _, _) = error, summary.interactions == nil { return nil }
      summary.problem = error.description
    }
    return summary
  }

  private static func size(of names: [String], in directory: CassetteDirectory) throws(CassetteError) -> Int {
    var bytes = 0
    for name in names { bytes += try directory.size(of: name) ?? 0 }
    for name in try directory.names(in: BodyFile.folder) {
      bytes += try directory.size(of: "\(BodyFile.folder)/\(name)") ?? 0
    }
    return bytes
  }
}
