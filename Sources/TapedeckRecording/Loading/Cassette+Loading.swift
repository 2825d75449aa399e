import TapedeckHTTP
import TapedeckRedaction

extension Cassette {
  /// Loads a cassette's files, and the journal that exists during a recording or after a crash.
  /// - Parameter progress: called on any thread with the numbers of loaded and of all interactions.
  /// - Throws: `CassetteError.absent` when there is no cassette; another error when it is damaged.
  public static func load(
    _ directory: String, match: MatchSpec? = nil, reading: InteractionReading = .atOnce,
    progress: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(CassetteError) -> Cassette {
    let opened = try CassetteDirectory(opening: directory)
    // Before the files: a writer that seals meanwhile removes the journal after all of it is in the files.
    let journal = try opened.openForReading(CassetteNames.journal)
    let names = try opened.names()
    let manifest = try CassetteReader(opened).manifest()
    let header = try journal.flatMap { file throws(CassetteError) in try JournalHeader(of: file) }
    let origins = header?.origins == .several ? .several : try opened.origins(names, manifest)
    let files = try opened.interactionNames(names, inFolders: origins == .several)
    guard !files.isEmpty || manifest != nil || journal != nil else { throw .absent(directory: directory) }
    let known = header?.rules ?? manifest?.rules ?? MatchRules()
    let matcher = RequestMatcher(
      try match.map { spec throws(CassetteError) in try known.changed(spec) } ?? known,
      redaction: header?.redaction ?? manifest?.redaction
        ?? Redaction(upstream: manifest?.upstream ?? header?.origins.upstream),
      comparesOrigin: origins == .several)
    let reader = CassetteReader(opened, matcher: matcher)
    var loaded = LoadedAmount(path: directory)
    var interactions = try InteractionLoader(files, of: opened, matcher: matcher, progress: progress)
      .interactions(reading, &loaded)
    let warnings = try journal.map { file throws(CassetteError) in
      try reader.addJournal(file, to: &interactions, &loaded)
    }
    if manifest == nil, interactions.isEmpty { throw .absent(directory: directory) }
    return Cassette(
      path: directory, manifest: manifest, upstream: manifest.map(\.upstream) ?? header?.origins.upstream,
      matcher: matcher, recordedRules: known, recordedRewriting: header?.rewriting,
      upstreams: manifest?.upstreams(after: header?.upstreams) ?? header?.upstreams,
      interactions: interactions,
      warnings: warnings ?? [])
  }
}

extension CassetteDirectory {
  /// The origins that a cassette stands for.
  package func origins() throws(CassetteError) -> CassetteOrigins {
    let journal = try openForReading(CassetteNames.journal)
    let header = try journal.flatMap { file throws(CassetteError) in try JournalHeader(of: file) }
    return header?.origins == .several ? .several : try origins(names(), CassetteReader(self).manifest())
  }

  /// How clients reach the origins of a cassette that has several.
  package func upstreams() throws(CassetteError) -> RecordedUpstreams? {
    let journal = try openForReading(CassetteNames.journal)
    let header = try journal.flatMap { file throws(CassetteError) in try JournalHeader(of: file) }
    let manifest = try CassetteReader(self).manifest()
    return manifest?.upstreams(after: header?.upstreams) ?? header?.upstreams
  }

  /// The origins that the files of a cassette stand for. Without a manifest, the interactions tell.
  package func origins(
    _ names: [String], _ manifest: CassetteManifest?
  ) throws(CassetteError) -> CassetteOrigins {
    if let manifest, manifest.origins != nil { return .several }
    guard let name = try interactionWithOrigin(names) else { return .one(manifest?.upstream) }
    guard manifest == nil else {
      throw .invalidEntry(
        file: path(of: CassetteNames.manifest), member: CassetteManifest.originsMember,
        problem: "it is missing, and \(name) names its origin")
    }
    return .several
  }
}

extension StoredInteraction {
  /// The interaction as sealing would store it; large bodies are unchanged.
  fileprivate func hiding(
    _ late: LateRedaction, _ matcher: RequestMatcher
  ) throws(CassetteError) -> StoredInteraction {
    let old = try read()
    guard !late.isEmpty, case let new = try late.hidden(old).interaction, new != old else { return self }
    return StoredInteraction(
      fileName, new, key: try matcher.key(for: new), bodyNames: bodyNames, bytes: bytes)
  }
}

extension CassetteReader {
  /// Adds an unsealed journal's interactions as sealing would, possibly replacing files.
  /// - Returns: warnings about left-out lines.
  func addJournal(
    _ file: OpenFile, to interactions: inout [StoredInteraction], _ loaded: inout LoadedAmount
  ) throws(CassetteError) -> [String] {
    var late = LateRedaction(matcher.redaction, findsSecrets: false, hidesFinds: false)
    _ = try late.learn(journal: file, self)
    var recorded: [StoredInteraction] = []
    var recordings: [SealPlan.Recording] = []
    let journal = try Journal(reading: file, isJoining: true) { entry throws(CassetteError) in
      let stored = try interaction(
        entry.record.tree, name: CassetteNames.journal, in: entry.file, bytes: entry.count
      ).hiding(late, matcher)
      try loaded.add(stored)
      recorded.append(stored)
      recordings.append(SealPlan.Recording(entry, stored.key, stored.recorded.request))
    }
    guard !recorded.isEmpty else { return journal.warnings }
    let plan = SealPlan(
      existing: interactions.map { ($0.fileName, $0.key.digest) },
      recordings: recordings, isReplacing: journal.header?.isReplacing ?? false)
    let hidden = Set(plan.names).union(plan.removals)
    interactions.removeAll { hidden.contains($0.fileName) }
    for (name, stored) in zip(plan.names, recorded) { interactions.append(try stored.renamed(name)) }
    interactions.sort { $0.fileName.utf8.lexicographicallyPrecedes($1.fileName.utf8) }
    return journal.warnings
  }
}
