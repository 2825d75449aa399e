import Synchronization
public import TapedeckHTTP
public import TapedeckRedaction

/// The only writer of a cassette.
///
/// Each exchange is a line of the journal. `add` collects lines, and `commit` writes all of them with one call, before
/// the clients get the last bytes of their responses: a killed process loses nothing it told a client. The journal's
/// lock excludes other writers, not readers, and ends with the process. The next `open` seals what `seal` did not. A
/// failed write ends recording, not the traffic.
public final class CassetteRecorder: Sendable {
  private struct State {
    var journalBytes: Int
    var room: Int
    /// The interactions in the journal. `seal` computes their keys and names, when no client waits.
    var written: [JournalPlace] = []
    /// The lines that the next write appends, those of interactions among them, and the secrets redacted in them.
    var lines: [UInt8] = []
    var added: [JournalPlace] = []
    var hidden = 0
    var hasStoredBodies = false
    /// Whether the journal holds messages of WebSockets in lines of their own.
    var hasMessages = false
    var isSealed = false
    /// Whether the journal may end in an incomplete line; then nothing may follow.
    var isTorn = false
  }

  /// So many bytes of added lines are written without waiting for `commit`.
  private static let addedBytes = 1 << 20

  public var path: String { directory.path }
  /// The number of interactions recovered from a left-over journal into files.
  public var recoveredCount: Int { opening.recoveredCount }
  /// Warnings about lines left out of a left-over journal, each with file and number.
  public var warnings: [String] { opening.warnings }
  /// The number of secrets redacted during recovery, in addition to those redacted when recorded.
  public var recoveredHiddenCount: Int { opening.recoveredHiddenCount }
  public var recoveredFinds: [SecretFind] { opening.recoveredFinds }
  /// Compares requests, and redacts before anything is written.
  public var matcher: RequestMatcher { sealer.matcher }
  /// The previous match rules of the cassette; `nil` when they are the same, or absent.
  public let replacedRules: MatchRules?
  /// Whether each interaction names its own origin.
  public var hasSeveralOrigins: Bool { matcher.comparesOrigin }
  public var rewriting: RewriteRules { sealer.rewriting ?? RewriteRules() }
  /// The previous rewrite rules of the cassette; `nil` when they are the same, or absent.
  public let replacedRewriting: RewriteRules?
  /// How clients will reach the origins of the cassette, if these are several.
  public let upstreams: RecordedUpstreams?
  /// How clients reached them before; `nil` where that is not recorded.
  public let replacedUpstreams: RecordedUpstreams?

  private let opening: RecorderOpening
  private var directory: CassetteDirectory { opening.directory }
  private let sealer: Sealer
  private let bases: [MatchKey: Int]
  private let arrivals = Atomic<Int>(0)
  private let hiddenValues = Atomic<Int>(0)
  package let memory = SecretMemory()
  /// Content codings that could not be opened, and whether each has been reported.
  private let unopened = Mutex<[String: Bool]>([:])
  private let spoolNumbers = Atomic<Int>(0)
  private let isStopped = Atomic<Bool>(false)
  private let state: Mutex<State>

  init(
    _ opening: RecorderOpening, sealer: Sealer, replacedRules: MatchRules?,
    replacedRewriting: RewriteRules?, upstreams: RecordedUpstreams?, replacedUpstreams: RecordedUpstreams?,
    bases: [MatchKey: Int], journalBytes: Int, room: Int
  ) {
    self.opening = opening
    self.sealer = sealer
    self.replacedRules = replacedRules
    self.replacedRewriting = replacedRewriting
    self.upstreams = upstreams
    self.replacedUpstreams = replacedUpstreams
    self.bases = bases
    state = Mutex(State(journalBytes: journalBytes, room: room))
  }

  /// Opens or creates a cassette for recording, and seals a journal that a crash left behind.
  /// - Throws: `refused`, among others, if the cassette is of one origin and `origins` is `several`, or the
  ///   other way round, unless it holds no interactions.
  public static func open(
    _ directory: String, origins: CassetteOrigins, replacing: Bool, match: MatchSpec? = nil,
    redaction: RedactionChoice = RedactionChoice(), rewriting: RewriteChoice = RewriteChoice(),
    upstreams: RecordedUpstreams? = nil, durability: Durability = .process, secrets: SecretPolicy = .tell,
    isDurable: Bool = true, recovering: @escaping @Sendable (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(CassetteError) -> CassetteRecorder {
    try open(
      RecorderOpening(
        directory, match: match, redaction: redaction, rewriting: rewriting, upstreams: upstreams,
        durability: durability, isDurable: isDurable, secrets: secrets,
        recovering: recovering),
      origins: origins, replacing: replacing)
  }

  package static func open(
    _ opening: consuming RecorderOpening, origins: CassetteOrigins, replacing: Bool
  ) throws(CassetteError) -> CassetteRecorder {
    var opening = opening
    do throws(CassetteError) {
      return try opening.open(origins, isReplacing: replacing)
    } catch {
      CassetteDirectory.removeMade(opening.made)
      throw error
    }
  }

  /// Takes the next request's number, which orders responses to equal requests; call it on arrival.
  public func nextArrival() -> Int { arrivals.wrappingAdd(1, ordering: .relaxed).oldValue }

  /// Whether writing has failed; then nothing more is recorded.
  public var isBroken: Bool { isStopped.load(ordering: .relaxed) }

  public var count: Int { state.withLock { $0.written.count } }

  public var hiddenCount: Int { hiddenValues.load(ordering: .relaxed) }

  /// Records an exchange without its secrets. After it returns, a crash of this process does not lose it.
  /// - Throws: the first failure to write.
  /// - Returns: whether it was recorded; `false` after recording has ended.
  @discardableResult
  public func record(_ interaction: Interaction, arrival: Int) throws(CassetteError) -> Bool {
    var interaction = interaction
    guard let number = try add(redacting: &interaction, arrival: arrival) else { return false }
    return try commit(number)
  }

  /// Adds an exchange to what `commit` writes, and takes its secrets out of `interaction`.
  /// - Parameter tree: the interaction to write if it holds no secrets; its bodies are stored already.
  /// - Returns: its number for `commit`; `nil` after recording has ended.
  package func add(
    redacting interaction: inout Interaction, tree: JSONValue? = nil, arrival: Int
  ) throws(CassetteError) -> Int? {
    guard !isBroken else { return nil }
    try interaction.nameOrigin(for: sealer.matcher)
    do throws(CassetteError) {
      let hidden = sealer.matcher.redaction.redact(&interaction, memory: memory)
      noteUnopened(hidden.unopened)
      let base = bases.isEmpty ? 0 : bases[try sealer.matcher.key(for: interaction)] ?? 0
      let line = try JournalRecord.output(arrival: arrival, base: base) { out throws(CassetteError) in
        if hidden.count == 0, let tree { return out.members(of: tree) }
        try InteractionFormat.write(interaction, to: &out, store: store)
      }
      return try line.withBytes { line throws(CassetteError) in
        try add(UnsafeRawBufferPointer(line), arrival: arrival, base: base, hidden: hidden.count)
      }
    } catch {
      guard stop() else { return nil }
      throw error
    }
  }

  /// Writes what has been added. After it returns, a crash of this process does not lose it.
  /// - Parameter number: what `add` returned.
  /// - Throws: the first failure to write.
  /// - Returns: whether the exchange of that number is in the journal.
  package func commit(_ number: Int) throws(CassetteError) -> Bool {
    do throws(CassetteError) {
      return try state.withLock { state throws(CassetteError) in
        // What fails to be written here may be others'.
        if number < state.written.count { return true }
        try writeAdded(&state)
        return number < state.written.count
      }
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

  /// The content codings that could not be opened to find secrets, each returned once.
  public func takeUnopenedCodings() -> [String] {
    unopened.withLock { known in
      if known.isEmpty { return [] }
      let fresh = known.filter { !$0.value }.keys.sorted()
      for coding in fresh { known[coding] = true }
      return fresh
    }
  }

  private func add(
    _ line: UnsafeRawBufferPointer, arrival: Int, base: Int, hidden: Int
  ) throws(CassetteError) -> Int? {
    guard line.count <= CassetteLimits.journalLineBytes else {
      throw .overLimit(
        path: path, problem: "an exchange of \(line.count) bytes is too large for the journal")
    }
    return try state.withLock { state throws(CassetteError) in
      guard !state.isSealed, !state.isTorn, !isBroken else { return nil }
      let number = state.written.count + state.added.count
      guard number < state.room else {
        throw .overLimit(path: path, problem: "more than \(CassetteLimits.interactions) interactions")
      }
      let offset = state.journalBytes + state.lines.count
      state.lines.append(contentsOf: line)
      state.added.append(JournalPlace(arrival: arrival, base: base, offset: offset, count: line.count - 1))
      state.hidden += hidden
      if state.lines.count >= Self.addedBytes { try writeAdded(&state) }
      return number
    }
  }

  /// Appends a line of messages, which belong to a line that was written before.
  /// - Returns: its length; 0 after recording has ended.
  func append(messages line: [UInt8]) throws(CassetteError) -> Int {
    do throws(CassetteError) {
      return try state.withLock { state throws(CassetteError) in
        guard !state.isSealed, !state.isTorn, !isBroken else { return 0 }
        state.lines.append(contentsOf: line)
        try writeAdded(&state)
        state.hasMessages = true
        return line.count
      }
    } catch {
      guard stop() else { return 0 }
      throw error
    }
  }

  private func writeAdded(_ state: inout State) throws(CassetteError) {
    guard !state.lines.isEmpty else { return }
    do throws(CassetteError) {
      try state.lines.withRawBytes { lines throws(CassetteError) in try sealer.journal.write(lines) }
      if opening.durability == .power { try sealer.journal.sync() }
    } catch {
      state.isTorn = true
      try? sealer.journal.truncate(to: state.journalBytes)
      (state.lines, state.added) = ([], [])
      throw error
    }
    state.journalBytes += state.lines.count
    state.written.append(contentsOf: state.added)
    hiddenValues.add(state.hidden, ordering: .relaxed)
    state.lines.removeAll(keepingCapacity: state.lines.count < Self.addedBytes)
    state.added.removeAll(keepingCapacity: true)
    state.hidden = 0
  }

  /// A WebSocket's messages without their secrets.
  func redacted(_ webSocket: RecordedWebSocket) -> RecordedWebSocket {
    guard let policy = matcher.redaction.policy else { return webSocket }
    let search = SecretSearch(policy, known: memory.givenSecrets)
    var interaction = Interaction(
      request: HTTPRequest(.get, "/"), response: RecordedResponse(head: HTTPResponseHead(status: 101)))
    interaction.response.webSocket = webSocket
    let redacted = search.redacted(interaction)
    learn(from: search)
    return redacted.response.webSocket ?? webSocket
  }

  /// Ends recording; returns `false` when it had ended before.
  @discardableResult
  package func stop() -> Bool { !isStopped.exchange(true, ordering: .relaxed) }

  /// Turns the journal into files and releases the cassette; removes a cassette it created that stayed empty.
  ///
  /// After a failed recording no file changes: the journal stays, as after a crash, for the next `open`.
  /// - Parameter progress: called before each interaction with the number done and the total.
  /// - Throws: when writing fails or secrets are refused; the journal stays, and the next `open` tries again.
  public func seal(
    progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(CassetteError) -> SealReport {
    try state.withLock { state throws(CassetteError) in
      guard !state.isSealed else { return SealReport() }
      var failure: CassetteError?
      do throws(CassetteError) { try writeAdded(&state) } catch {
        stop()
        failure = error
      }
      state.isSealed = true
      var report = SealReport()
      if isBroken {
        sealer.abandon(state.written)
      } else if state.written.isEmpty, !state.hasStoredBodies {
        try sealer.finish()
      } else {
        report = try sealed(state.written, hasMessages: state.hasMessages, progress)
        report.unsearchedCodings = takeUnopenedCodings()
      }
      if state.written.isEmpty { CassetteDirectory.removeMade(opening.made) }
      if let failure { throw failure }
      return report
    }
  }

  private func sealed(
    _ places: [JournalPlace], hasMessages: Bool, _ progress: (_ done: Int, _ total: Int) -> Void
  ) throws(CassetteError) -> SealReport {
    var sealer = sealer
    // Where another journal has taken the place of the one that was written, its lines are elsewhere.
    var isRewritten = hasMessages ? try sealer.joinMessages() != nil : false
    let late = LateRedaction(matcher.redaction, memory: memory, findsSecrets: false, hidesFinds: false)
    if !late.isEmpty {
      let hidden = try sealer.hide(late)
      hiddenValues.add(hidden.count, ordering: .relaxed)
      isRewritten = isRewritten || hidden.isRewritten
    }
    let entries = isRewritten ? try sealer.recordings().entries : try sealer.recordings(at: places)
    return try sealer.seal(entries, hiding: late.isEmpty ? nil : late, progress: progress)
  }

  /// Drops the journal and releases the cassette after sealing was refused.
  package func discard() {
    sealer.abandon([])
    CassetteDirectory.removeMade(opening.made)
  }
}

// MARK: - Bodies

extension CassetteRecorder {
  public func makeSpool(
    respondingTo request: HTTPRequest? = nil, fields: HTTPFields = HTTPFields()
  ) -> BodySpool {
    BodySpool(recorder: self, request: request, fields: fields)
  }

  /// For the body of a request of which only the head is here.
  package func makeSpool(ofRequest head: HTTPRequest) -> BodySpool {
    BodySpool(recorder: self, request: head, fields: head.fields)
  }

  func learn(from pass: SecretSearch) {
    memory.add(pass.known)
    hiddenValues.add(pass.count, ordering: .relaxed)
  }

  /// Makes values known as secrets: copies of them are hidden wherever they occur.
  package func learn(secrets: [[UInt8]]) {
    guard let policy = matcher.redaction.policy else { return }
    for secret in secrets { memory.add(certain: secret, policy) }
  }

  /// A target for messages and logs, without secrets that earlier exchanges revealed.
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

  package func adopt(
    _ spooled: OpenFile, _ name: String, digest: SHA256Digest, size: Int
  ) throws(CassetteError) -> BodyFile {
    let file = BodyFile(name: BodyFile.name(digest: digest), size: size, directory: directory)
    if opening.durability == .power { try spooled.sync() }
    try directory.rename(name, to: file.name)
    if opening.durability == .power { try directory.sync(folder: BodyFile.folder) }
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

extension Interaction {
  /// Makes the request name its origin if the cassette is of several, and only then.
  fileprivate mutating func nameOrigin(for matcher: RequestMatcher) throws(CassetteError) {
    guard request.namesOrigin || matcher.comparesOrigin else { return }
    if matcher.comparesOrigin {
      guard let origin = request.origin else {
        let authority = String(decoding: request.authority, as: UTF8.self)
        throw .refused(path: request.targetText, reason: "\(authority.debugDescription) is no host to record")
      }
      request.name(origin)
    } else {
      (request.namesOrigin, request.scheme) = (false, .http)
    }
  }
}
