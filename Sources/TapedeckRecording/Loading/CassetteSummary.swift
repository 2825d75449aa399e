/// Facts about a cassette that need no reading of its interactions.
public struct CassetteSummary: Sendable, Equatable {
  /// Of its folder or HAR file.
  public var name: String
  /// Nil where only reading all of it would tell.
  public var interactions: Int?
  public var upstream: String?
  /// Of all its files, with their bodies.
  public var bytes = 0
  /// Whether a journal is there: someone records, or did until a crash.
  public var hasJournal = false
  /// A problem found on the way; others may exist.
  public var problem: String?

  /// The cassettes in a folder, by name; none when the folder does not exist.
  public static func all(in folder: String) throws(CassetteError) -> [CassetteSummary] {
    let directory: CassetteDirectory
    do throws(CassetteError) { directory = try CassetteDirectory(opening: folder) } catch {
      guard case .absent = error else { throw error }
      return []
    }
    var summaries: [CassetteSummary] = []
    for name in try directory.names() where !name.hasPrefix(".") {
      if ForeignFile.isHAR(name) {
        summaries.append(CassetteSummary(name: name, bytes: try directory.size(of: name) ?? 0))
      } else if let summary = summary(of: name, in: directory) {
        summaries.append(summary)
      }
    }
    return summaries
  }

  /// Nil when it is no cassette.
  private static func summary(of name: String, in parent: CassetteDirectory) -> CassetteSummary? {
    var summary = CassetteSummary(name: name)
    do throws(CassetteError) {
      let directory = try CassetteDirectory(opening: parent.path(of: name))
      let names = try directory.names()
      let files = names.filter(CassetteNames.isInteraction)
      summary.hasJournal = names.contains(CassetteNames.journal)
      guard !files.isEmpty || summary.hasJournal || names.contains(CassetteNames.manifest) else { return nil }
      summary.interactions = files.count
      summary.bytes = try size(of: names, in: directory)
      summary.upstream = try CassetteReader(directory).manifest()?.upstream
    } catch {
      // A plain file beside the cassettes is no cassette, and no problem.
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
