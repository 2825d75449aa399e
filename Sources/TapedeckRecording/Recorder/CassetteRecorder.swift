import Synchronization
public import TapedeckHTTP
public import TapedeckRedaction

/// The one writer of a cassette.
///
/// Every recording is a line of the journal, written with one call before `record` returns, so that a killed process
/// loses nothing it told a client. The lock on the journal keeps other writers out and goes with the process; readers
/// never see it. `seal` turns the lines into files; lines left unsealed are sealed by the next `open`. After the first
/// failure to write recording is over, and traffic goes on.
public final class CassetteRecorder: Sendable {
  private struct State {
    var journalBytes: Int
    /// How many more interactions the cassette may take.
    var room: Int
    var written: [WrittenExchange] = []
    var hasStoredBodies = false
    var isSealed = false
    /// Whether the journal may end in half a line, so that nothing may follow.
    var isTorn = false
  }

  /// As given to `open`.
  public var path: String { directory.path }
  /// How many recordings a left-over journal held, which are files now.
  public let recoveredCount: Int
  /// Lines left out of a left-over journal, each with file and number.
  public let warnings: [String]
  /// How many secrets were redacted in it now, beside those redacted when it was recorded.
  public let recoveredHiddenCount: Int
  /// Likely secrets in a left-over journal.
  public let recoveredFinds: [SecretFind]
  /// Compares requests, and redacts before anything is written.
  public var matcher: RequestMatcher { sealer.matcher }
  /// The match rules of the cassette so far; nil where they are the same, or absent.
  public let replacedRules: MatchRules?
  /// The rewrite rules in force.
  public var rewriting: RewriteRules { sealer.rewriting ?? RewriteRules() }
  /// The rewrite rules of the cassette so far; nil where they are the same, or absent.
  public let replacedRewriting: RewriteRules?

  private let directory: CassetteDirectory
  private let made: [String]
  private let sealer: Sealer
  private let bases: [MatchKey: Int]
  private let durability: Durability
  private let arrivals = Atomic<Int>(0)
  private let hiddenValues = Atomic<Int>(0)
  package let memory = SecretMemory()
  /// Content codings that could not be opened, and whether they have been reported.
  private let unopened = Mutex<[String: Bool]>([:])
  private let spoolNumbers = Atomic<Int>(0)
  private let isStopped = Atomic<Bool>(false)
  private let state: Mutex<State>

  init(
    _ opening: RecorderOpening, sealer: Sealer, replacedRules: MatchRules?,
    replacedRewriting: RewriteRules?, bases: [MatchKey: Int], journalBytes: Int, room: Int
  ) {
    directory = opening.directory
    made = opening.made
    recoveredCount = opening.recoveredCount
    warnings = opening.warnings
    recoveredHiddenCount = opening.recoveredHiddenCount
    recoveredFinds = opening.recoveredFinds
    self.sealer = sealer
    self.replacedRules = replacedRules
    self.replacedRewriting = replacedRewriting
    self.bases = bases
    durability = opening.durability
    state = Mutex(State(journalBytes: journalBytes, room: room))
  }

  /// Opens a cassette for recording, creates it when there is none, and seals a journal that a crash left behind.
  /// - Parameters:
  ///   - replacing: whether recordings replace those of the same request, instead of following them.
  ///   - match: changes to the cassette's match rules, which it then keeps.
  ///   - redaction: changes to the cassette's redaction rules, which it then keeps.
  ///   - rewriting: changes to the cassette's rewrite rules, which it then keeps.
  ///   - durability: the failures that a recording survives before it is sealed.
  ///   - secrets: what to do about secrets that redaction leaves.
  ///   - isDurable: whether sealing waits for the disk.
  public static func open(
    _ directory: String, upstream: String?, replacing: Bool, match: MatchSpec? = nil,
    redaction: RedactionChoice = RedactionChoice(), rewriting: RewriteChoice = RewriteChoice(),
    durability: Durability = .process, secrets: SecretPolicy = .tell, isDurable: Bool = true
  ) throws(CassetteError) -> CassetteRecorder {
    try open(
      RecorderOpening(
        directory, match: match, redaction: redaction, rewriting: rewriting, durability: durability,
        isDurable: isDurable, secrets: secrets),
      upstream: upstream, replacing: replacing)
  }

  package static func open(
    _ opening: consuming RecorderOpening, upstream: String?, replacing: Bool
  ) throws(CassetteError) -> CassetteRecorder {
    var opening = opening
    do throws(CassetteError) {
      return try opening.open(upstream: upstream, isReplacing: replacing)
    } catch {
      CassetteDirectory.removeMade(opening.made)
      throw error
    }
  }

  /// The number of a request, to be taken when it arrives: it orders the responses to equal requests.
  public func nextArrival() -> Int { arrivals.wrappingAdd(1, ordering: .relaxed).oldValue }

  /// Whether writing has failed; then nothing more is recorded.
  public var isBroken: Bool { isStopped.load(ordering: .relaxed) }

  /// How many interactions are recorded.
  public var count: Int { state.withLock { $0.written.count } }

  /// How many secrets were redacted.
  public var hiddenCount: Int { hiddenValues.load(ordering: .relaxed) }

  /// Records an exchange, without its secrets: this is the one door to the journal. When it returns, a crash of this
  /// process no longer loses it.
  /// - Throws: the first failure to write.
  /// - Returns: whether it was recorded; not when recording is over.
  @discardableResult
  public func record(_ interaction: Interaction, arrival: Int) throws(CassetteError) -> Bool {
    try record(interaction, tree: nil, arrival: arrival)
  }

  /// - Parameter tree: the interaction as it is to be written if it holds no secrets; its bodies are there already.
  @discardableResult
  package func record(
    _ interaction: Interaction, tree: JSONValue?, arrival: Int
  ) throws(CassetteError) -> Bool {
    guard !isBroken else { return false }
    do throws(CassetteError) {
      let hidden = matcher.redaction.redacted(interaction, memory: memory)
      let interaction = hidden.interaction
      noteUnopened(hidden.unopened)
      let key = matcher.key(for: interaction.request)
      let base = bases[key] ?? 0
      let line = try JournalRecord.line(arrival: arrival, base: base) { out throws(CassetteError) in
        if hidden.count == 0, let tree { return out.members(of: tree) }
        try InteractionFormat.write(interaction, to: &out, store: store)
      }
      guard line.count <= CassetteLimits.journalLineBytes else {
        throw .overLimit(
          path: path, problem: "an exchange of \(line.count) bytes is too large for the journal")
      }
      let isRecorded = try append(
        line, WrittenExchange(key, interaction.request, arrival: arrival, base: base))
      if isRecorded { hiddenValues.add(hidden.count, ordering: .relaxed) }
      return isRecorded
    } catch {
      guard stop() else { return false }
      throw error
    }
  }

  func noteUnopened(_ codings: Set<String>) {
    guard !codings.isEmpty else { return }
    unopened.withLock { known in
      for coding in codings where known[coding] == nil { known[coding] = false }
    }
  }

  /// Content codings of recorded bodies that could not be opened to look for secrets, each reported once.
  public func takeUnopenedCodings() -> [String] {
    unopened.withLock { known in
      let fresh = known.filter { !$0.value }.keys.sorted()
      for coding in fresh { known[coding] = true }
      return fresh
    }
  }

  private func append(_ line: [UInt8], _ exchange: WrittenExchange) throws(CassetteError) -> Bool {
    try state.withLock { state throws(CassetteError) in
      guard !state.isSealed, !state.isTorn, !isBroken else { return false }
      guard state.written.count < state.room else {
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
      var exchange = exchange
      (exchange.offset, exchange.count) = (state.journalBytes, line.count - 1)
      state.written.append(exchange)
      state.journalBytes += line.count
      return true
    }
  }

  /// Ends recording; whether it had not ended before.
  @discardableResult
  package func stop() -> Bool { !isStopped.exchange(true, ordering: .relaxed) }

  /// Makes files of all that was recorded and lets go of the cassette. A cassette made for nothing is removed again.
  ///
  /// When recording has failed, no file is touched: what was recorded before stays in the journal, as after a crash,
  /// and is sealed by the next `open`.
  /// - Throws: when it cannot be written, or holds secrets that it must not; then the journal stays, and the next `open`
  ///   tries again.
  public func seal() throws(CassetteError) -> SealReport {
    try state.withLock { state throws(CassetteError) in
      guard !state.isSealed else { return SealReport() }
      state.isSealed = true
      var report = SealReport()
      let entries = state.written.map(\.entry)
      if isBroken {
        sealer.abandon(entries)
      } else if entries.isEmpty, !state.hasStoredBodies {
        try sealer.finish()
      } else {
        report = try sealer.seal(entries)
      }
      if entries.isEmpty { CassetteDirectory.removeMade(made) }
      return report
    }
  }
}

extension CassetteRecorder {
  /// Drops the recording and releases the cassette after sealing was refused.
  package func discard() {
    sealer.abandon([])
    CassetteDirectory.removeMade(made)
  }
}

// MARK: - Bodies

extension CassetteRecorder {
  /// A place for a body of any size.
  /// - Parameters:
  ///   - request: the request of the exchange; nil when that is not known.
  ///   - fields: of the message, which say what the body is.
  public func makeSpool(answering request: HTTPRequest? = nil, fields: HTTPFields = HTTPFields()) -> BodySpool
  {
    BodySpool(recorder: self, request: request, fields: fields)
  }

  /// Redacts a body on its way into a file.
  func makePass(_ policy: RedactionPolicy) -> SecretSearch { SecretSearch(policy, memory: memory) }

  func learn(from pass: SecretSearch) {
    memory.add(pass.known)
    hiddenValues.add(pass.count, ordering: .relaxed)
  }

  /// A target for messages and logs, without secrets that earlier exchanges have revealed.
  public func hidingKnownSecrets(inTarget target: [UInt8]) -> [UInt8] {
    let copies = memory.copies(in: target[...])
    return copies.isEmpty ? target : copies.applied(to: target[...])
  }

  package func createSpoolFile() throws(CassetteError) -> (file: OpenFile, name: String) {
    let number = spoolNumbers.wrappingAdd(1, ordering: .relaxed).oldValue
    let name = "\(BodyFile.folder)/\(BodySpool.prefix)\(number)"
    return try state.withLock { state throws(CassetteError) in
      guard !state.isSealed, !isBroken else { throw .recordingEnded(directory: path) }
      state.hasStoredBodies = true
      try directory.makeFolder(BodyFile.folder)
      return (try directory.createFile(name), name)
    }
  }

  package func removeSpoolFile(_ name: String) { try? directory.remove(name) }

  /// Gives a finished spool file the name of its content.
  package func adopt(
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

/// An exchange in the journal, as its recorder keeps it in mind. Its digest is worked out when it is sealed, not while a
/// client waits.
private struct WrittenExchange {
  private let key: MatchKey
  /// The beginning of its file's name.
  private let prefix: String
  private let arrival: Int
  /// See `JournalRecord`.
  private let base: Int
  /// The place of its line.
  var offset = 0
  var count = 0

  init(_ key: MatchKey, _ request: HTTPRequest, arrival: Int, base: Int) {
    self.key = key
    prefix = CassetteNames.prefix(of: request)
    self.arrival = arrival
    self.base = base
  }

  var entry: Sealer.Entry {
    Sealer.Entry(
      recording: SealPlan.Recording(
        digest: key.digest, prefix: prefix, arrival: arrival, base: base),
      offset: offset, count: count)
  }
}
