import TapedeckHTTP
import TapedeckRedaction

extension Cassette {
  /// Reads a cassette: its files, and over them the journal that is there while someone records or after a crash; or
  /// in place of a directory a file of another tool, such as a HAR.
  /// - Parameters:
  ///   - match: what to compare instead of what the cassette says, or in addition.
  ///   - reading: when the interactions are read.
  ///   - progress: called now and then, on any thread, with how many of how many interactions are loaded.
  /// - Throws: `CassetteError.absent` when there is no cassette; anything else when there is one that is not in order.
  public static func load(
    _ directory: String, match: MatchSpec? = nil, reading: InteractionReading = .atOnce,
    progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(CassetteError) -> Cassette {
    let opened = try CassetteDirectory(opening: directory)
    // Before the files: a writer that seals meanwhile takes the journal away when all of it is in the files.
    let journal = try opened.openForReading(CassetteNames.journal)
    let names = try opened.names()
    let files = names.filter(CassetteNames.isInteraction)
    guard !files.isEmpty || names.contains(CassetteNames.manifest) || journal != nil
    else {
      throw .absent(directory: directory)
    }
    let manifest = try CassetteReader(opened).manifest()
    let header = try journal.flatMap { file throws(CassetteError) in try JournalHeader(of: file) }
    let known = header?.rules ?? manifest?.rules ?? MatchRules()
    let matcher = RequestMatcher(
      try match.map { spec throws(CassetteError) in try known.changed(spec) } ?? known,
      redaction: header?.redaction ?? manifest?.redaction
        ?? Redaction(upstream: manifest?.upstream ?? header?.upstream))
    let reader = CassetteReader(opened, matcher: matcher)
    var loaded = LoadedAmount(path: directory)
    var interactions = try InteractionLoader(files, of: opened, matcher: matcher, progress: progress)
      .interactions(reading, by: reader, &loaded)
    let overlay = try JournalOverlay(journal, reader: reader, loaded: &loaded)
    if manifest == nil, interactions.isEmpty, overlay.isEmpty { throw .absent(directory: directory) }
    try overlay.apply(to: &interactions)
    return Cassette(
      path: directory, manifest: manifest, upstream: manifest.map(\.upstream) ?? header?.upstream,
      matcher: matcher, recordedRules: known,
      recordedRewriting: header?.rewriting, answers: interactions,
      warnings: overlay.warnings)
  }
}
