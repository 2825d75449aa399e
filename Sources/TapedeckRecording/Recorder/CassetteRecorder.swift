import Synchronization
import TapedeckHTTP

/// The one writer of a cassette.
///
/// Every recording is a line of the journal, written with one call before `record` returns, so that a killed process
/// loses nothing it told a client. The lock on the journal keeps other writers out and goes with the process; readers
/// never see it. `seal` makes files of the lines; what was not sealed is by the next `open`. After the first failure
/// to write recording is over, and traffic goes on.
public final class CassetteRecorder: Sendable {
  private struct State {
    var journalBytes: Int
    /// How many more interactions the cassette may take.
    var room: Int
    var entries: [Sealer.Entry] = []
    var hasStoredBodies = false
    var isSealed = false
    /// Whether the journal may end in half a line, so that nothing may follow.
    var isTorn = false
  }

  /// As given to `open`.
  public var path: String { directory.path }
  /// How many recordings a left-over journal held, which are files now.
  public let recoveredCount: Int
  /// What was left out of a left-over journal, each with file and line.
  public let warnings: [String]

  private let directory: CassetteDirectory
  private let made: [String]
  private let sealer: Sealer
  private let bases: [MatchKey: Int]
  private let durability: Durability
  private let arrivals = Atomic<Int>(0)
  private let spoolNumbers = Atomic<Int>(0)
  private let isStopped = Atomic<Bool>(false)
  private let state: Mutex<State>

  init(
    _ opening: RecorderOpening, sealer: Sealer, bases: [MatchKey: Int], journalBytes: Int, room: Int
  ) {
    directory = opening.directory
    made = opening.made
    recoveredCount = opening.recoveredCount
    warnings = opening.warnings
    self.sealer = sealer
    self.bases = bases
    durability = opening.durability
    state = Mutex(State(journalBytes: journalBytes, room: room))
  }

  /// Opens a cassette for recording, making it where there is none, and seals what a crash left behind.
  /// - Parameters:
  ///   - replacing: whether recordings replace those of the same request, instead of following them.
  ///   - durability: what a recording survives before it is sealed.
  ///   - isDurable: whether sealing waits for the disk.
  public static func open(
    _ directory: String, upstream: String?, replacing: Bool, matcher: RequestMatcher = RequestMatcher(),
    durability: Durability = .process, isDurable: Bool = true
  ) throws(CassetteError) -> CassetteRecorder {
    var opening = try RecorderOpening(
      directory, matcher: matcher, durability: durability, isDurable: isDurable)
    do throws(CassetteError) {
      return try opening.open(upstream: upstream, isReplacing: replacing)
    } catch {
      CassetteDirectory.removeMade(opening.made)
      throw error
    }
  }

  /// The number of a request, to be taken when it arrives: it orders the answers to equal requests.
  public func nextArrival() -> Int { arrivals.wrappingAdd(1, ordering: .relaxed).oldValue }

  /// Whether writing has failed; then nothing more is recorded.
  public var isBroken: Bool { isStopped.load(ordering: .relaxed) }

  /// How many interactions are recorded.
  public var count: Int { state.withLock { $0.entries.count } }

  /// Records an exchange. When it returns, a crash of this process no longer loses it.
  /// - Throws: the first failure to write.
  /// - Returns: whether it was recorded; not when recording is over.
  @discardableResult
  public func record(_ interaction: Interaction, key: MatchKey, arrival: Int) throws(CassetteError) -> Bool {
    guard !isBroken else { return false }
    do throws(CassetteError) {
      let base = bases[key] ?? 0
      let tree = try InteractionFormat.encode(interaction, store: store)
      let line = JournalRecord(tree: tree, arrival: arrival, base: base).line
      guard line.count <= CassetteLimits.journalLineBytes else {
        throw .overLimit(
          path: path, problem: "an exchange of \(line.count) bytes is too large for the journal")
      }
      let recording = SealPlan.Recording(
        digest: key.digest, prefix: CassetteNames.prefix(of: interaction.request), arrival: arrival,
        base: base)
      return try append(line, recording)
    } catch {
      guard stop() else { return false }
      throw error
    }
  }

  private func append(_ line: [UInt8], _ recording: SealPlan.Recording) throws(CassetteError) -> Bool {
    try state.withLock { state throws(CassetteError) in
      guard !state.isSealed, !state.isTorn, !isBroken else { return false }
      guard state.entries.count < state.room else {
        throw .overLimit(path: path, problem: "more than \(CassetteLimits.interactions) interactions")
      }
      do throws(CassetteError) {
        try sealer.journal.write(line)
        if durability == .power { try sealer.journal.sync() }
      } catch {
        state.isTorn = true
        try? sealer.journal.truncate(to: state.journalBytes)
        throw error
      }
      state.entries.append(
        Sealer.Entry(recording: recording, offset: state.journalBytes, count: line.count - 1))
      state.journalBytes += line.count
      return true
    }
  }

  /// Ends recording; whether it had not ended before.
  @discardableResult
  func stop() -> Bool { !isStopped.exchange(true, ordering: .relaxed) }

  /// Makes files of all that was recorded and lets go of the cassette. A cassette made for nothing is removed again.
  ///
  /// When recording has failed, no file is touched: what was recorded before stays in the journal, as after a crash,
  /// and is sealed by the next `open`.
  /// - Throws: when it cannot be written; then the journal stays, and the next `open` tries again.
  public func seal() throws(CassetteError) -> SealReport {
    try state.withLock { state throws(CassetteError) in
      guard !state.isSealed else { return SealReport() }
      state.isSealed = true
      var report = SealReport()
      if isBroken {
        sealer.abandon(state.entries)
      } else if state.entries.isEmpty, !state.hasStoredBodies {
        try sealer.finish()
      } else {
        report = try sealer.seal(state.entries)
      }
      if state.entries.isEmpty { CassetteDirectory.removeMade(made) }
      return report
    }
  }
}

// MARK: - Bodies

extension CassetteRecorder {
  /// A place for a body of any size.
  public func makeSpool() -> BodySpool { BodySpool(recorder: self) }

  func createSpoolFile() throws(CassetteError) -> (file: OpenFile, name: String) {
    let number = spoolNumbers.wrappingAdd(1, ordering: .relaxed).oldValue
    let name = "\(BodyFile.folder)/\(BodySpool.prefix)\(number)"
    return try state.withLock { state throws(CassetteError) in
      guard !state.isSealed, !isBroken else { throw .recordingEnded(directory: path) }
      state.hasStoredBodies = true
      try directory.makeFolder(BodyFile.folder)
      return (try directory.createFile(name), name)
    }
  }

  func removeSpoolFile(_ name: String) { try? directory.remove(name) }

  /// Gives a finished spool file the name of its content.
  func adopt(
    _ spooled: OpenFile, _ name: String, digest: SHA256Digest, size: Int
  ) throws(CassetteError) -> BodyFile {
    let file = BodyFile(name: BodyFile.name(digest: digest), size: size, directory: directory)
    if durability == .power { try spooled.sync() }
    try directory.rename(name, to: file.name)
    if durability == .power { try directory.sync(folder: BodyFile.folder) }
    return file
  }

  private func store(_ body: [UInt8]) throws(CassetteError) -> BodyFile {
    let (file, name) = try createSpoolFile()
    do throws(CassetteError) {
      try file.write(body)
      return try adopt(file, name, digest: SHA256Digest(of: body), size: body.count)
    } catch {
      removeSpoolFile(name)
      throw error
    }
  }
}
