public import TapedeckHTTP

extension Cassette {
  /// Reads a cassette: its files, and over them the journal that is there while someone records or after a crash.
  /// - Parameter prepare: makes what is sent for an exchange recorded from `upstream`, once; nil leaves it to each
  ///   request.
  /// - Throws: `CassetteError.absent` when there is no cassette; anything else when there is one that is not in order.
  public static func load(
    _ directory: String,
    prepare: @Sendable (Interaction, _ upstream: String?) -> PreparedResponse? = { _, _ in nil }
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
    let manifest = try CassetteReader(opened, matcher: RequestMatcher()).manifest()
    let reader = CassetteReader(opened, matcher: manifest?.matcher ?? RequestMatcher())
    var load = CassetteLoad(path: directory)
    var stored: [StoredInteraction] = []
    stored.reserveCapacity(files.count)
    for name in files {
      guard let interaction = try reader.interaction(name) else { continue }
      try load.add(interaction)
      stored.append(interaction)
    }
    let overlay = try JournalOverlay(journal, reader: reader, load: &load)
    if manifest == nil, stored.isEmpty, overlay.isEmpty { throw .absent(directory: directory) }
    overlay.apply(to: &stored)
    let known = manifest ?? overlay.header.map { CassetteManifest(upstream: $0.upstream) }
    return Cassette(
      path: directory, manifest: known,
      answers: stored.map { RecordedAnswer($0, prepared: prepare($0.interaction, known?.upstream)) },
      warnings: overlay.warnings)
  }
}
