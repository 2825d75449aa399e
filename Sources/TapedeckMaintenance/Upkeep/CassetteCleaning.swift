import TapedeckHTTP
package import TapedeckRecording
package import TapedeckRedaction

/// Redacts in a cassette what its rules did not cover when it was recorded, and what a scan finds beside that.
///
/// Every file is replaced atomically, and each state between is a cassette that replays as before: requests are redacted
/// before they are compared, so it makes no difference whether a recording is redacted already. Bodies come before the
/// files that need them; the rules and the new names come last.
package struct CassetteCleaning: Sendable {
  /// How many values were hidden, and in how many files.
  package private(set) var hiddenCount = 0
  package private(set) var changedFiles: [String] = []
  /// Files renamed because their request has changed.
  package private(set) var renamed: [(old: String, new: String)] = []
  /// How many interactions of a left-over journal are files now.
  package private(set) var recoveredCount = 0
  /// How many values were hidden in them.
  package private(set) var recoveredHiddenCount = 0
  /// Secrets that are still there.
  package private(set) var remaining: [SecretFind] = []
  /// Requests that no longer match when they come as they were recorded.
  package private(set) var unmatched: [String] = []

  /// - Parameter choice: what to hide, and what to keep, beside what the cassette says; it then says so too.
  package init(
    _ path: String, _ choice: RedactionChoice, onStep: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(CassetteError) {
    let requests = try replaceFiles(path, choice, onStep: onStep)
    let tidying = try CassetteTidying(path)
    let plan = TidyPlan(
      tidying.cassette.planned, followsKeys: false, changed: Set(changedFiles))
    renamed = plan.renames.map { ($0.old, $0.new) }
    let changed = plan.renames.reduce(into: Set(changedFiles)) { names, rename in
      if names.remove(rename.old) != nil { names.insert(rename.new) }
    }
    _ = try tidying.finish(plan)
    unmatched = tidying.cassette.unmatched(requests, redactedBy: tidying.cassette.matcher.redaction)
    changedFiles = changed.sorted()
    remaining = try SecretScan(path).units.first { $0.kind == .cassette }?.finds ?? []
  }

  /// - Returns: the old requests where they have changed.
  private mutating func replaceFiles(
    _ path: String, _ choice: RedactionChoice, onStep: (Int, Int) -> Void
  ) throws(CassetteError) -> [HTTPRequest] {
    let upstream = try CassetteReader(CassetteDirectory(opening: path)).manifest()?.upstream
    let recorder = try CassetteRecorder.open(
      path, upstream: upstream, replacing: false, redaction: choice.turnedOn, secrets: .hide)
    recoveredCount = recorder.recoveredCount
    recoveredHiddenCount = recorder.recoveredHiddenCount
    var replacement = try FileReplacement(path, recorder)
    do throws(CassetteError) {
      let requests = try replacement.stage(onStep: onStep)
      try replacement.stageRules()
      try replacement.commit()
      _ = try recorder.seal()
      hiddenCount = replacement.hiddenCount
      changedFiles = replacement.changedFiles
      return requests
    } catch {
      replacement.discard()
      _ = try? recorder.seal()
      throw error
    }
  }
}

extension Cassette {
  /// The requests that no recording matches any more, each as a redacted line.
  func unmatched(_ requests: [HTTPRequest], redactedBy redaction: Redaction) -> [String] {
    requests.filter { sequence(for: $0) == nil && linkedSequence(for: $0) == nil }.map { request in
      "\(request.method.rawValue) \(String(decoding: redaction.redacted(request).path, as: UTF8.self))"
    }
  }
}

/// New contents for interaction files, under temporary names until all of them are written.
private struct FileReplacement {
  private(set) var hiddenCount = 0
  private(set) var changedFiles: [String] = []
  private let directory: CassetteDirectory
  private let recorder: CassetteRecorder
  private let late: LateRedaction
  private var staged: [(temporary: String, name: String)] = []
  /// The format version that all files together need.
  private var formatVersion = 1

  init(_ path: String, _ recorder: CassetteRecorder) throws(CassetteError) {
    directory = try CassetteDirectory(opening: path)
    self.recorder = recorder
    late = LateRedaction(recorder.matcher.redaction, memory: recorder.memory, hidesFinds: true)
  }

  /// - Returns: the old requests where they have changed.
  mutating func stage(onStep: (Int, Int) -> Void) throws(CassetteError) -> [HTTPRequest] {
    let names = try directory.names().filter(CassetteNames.isInteraction)
    var requests: [HTTPRequest] = []
    for (index, name) in names.enumerated() {
      try late.learn(try read(name).interaction)
      onStep(index + 1, names.count * 2)
    }
    for (index, name) in names.enumerated() {
      let (tree, interaction) = try read(name)
      let (hidden, count) = late.hidden(try withoutSecretsInFiles(interaction))
      onStep(names.count + index + 1, names.count * 2)
      guard try encoded(hidden) != encoded(interaction) else {
        formatVersion = max(formatVersion, InteractionFormat.version(of: tree))
        continue
      }
      if hidden.request != interaction.request { requests.append(interaction.request) }
      hiddenCount += max(count, 1)
      changedFiles.append(name)
      let directory = directory
      let new = try InteractionFormat.encode(hidden) { body throws(CassetteError) in
        try BodyFile.store(body, in: directory)
      }
      formatVersion = max(formatVersion, InteractionFormat.version(of: new))
      try stage(InteractionFormat.fileBytes(new.keepingFreeMembers(of: tree)), as: name)
    }
    return requests
  }

  /// The tree that would be written.
  private func encoded(_ interaction: Interaction) throws(CassetteError) -> JSONValue {
    let directory = directory
    return try InteractionFormat.encode(interaction) { body throws(CassetteError) in
      BodyFile(name: BodyFile.name(digest: SHA256Digest(of: body)), size: body.count, directory: directory)
    }
  }

  mutating func stageRules() throws(CassetteError) {
    let present = try CassetteReader(directory).manifest()
    var manifest = present ?? CassetteManifest(upstream: nil)
    manifest.formatVersion = max(manifest.formatVersion, formatVersion)
    manifest.rules = present?.rules ?? recorder.matcher.rules
    manifest.redaction = recorder.matcher.redaction
    if manifest != present { try stage(manifest.fileBytes, as: CassetteNames.manifest) }
  }

  mutating func commit() throws(CassetteError) {
    if staged.isEmpty { return }
    try directory.syncFileSystem()
    while let file = staged.first {
      try directory.rename(file.temporary, to: file.name)
      staged.removeFirst()
    }
    try directory.sync()
  }

  mutating func discard() {
    for file in staged { try? directory.remove(file.temporary) }
    staged = []
    recorder.stop()
  }

  private mutating func stage(_ bytes: [UInt8], as name: String) throws(CassetteError) {
    let temporary = "\(Sealer.temporaryPrefix)\(staged.count).tmp"
    staged.append((temporary, name))
    try directory.createFile(temporary, contents: bytes)
  }

  private func read(_ name: String) throws(CassetteError) -> (tree: JSONValue, interaction: Interaction) {
    let file = directory.path(of: name)
    let bytes = try directory.contents(of: name, limit: CassetteLimits.fileBytes) ?? []
    let tree = try JSONFile.parse(bytes, file: file)
    let interaction = try InteractionFormat.decode(
      tree, in: file, loader: BodyLoader(directory: directory))
    return (tree, interaction)
  }

  // MARK: Large bodies

  private func withoutSecretsInFiles(_ interaction: Interaction) throws(CassetteError) -> Interaction {
    var result = interaction
    if let body = interaction.largeRequestBody {
      let (new, _) = try rewritten(body, answering: nil, interaction.request.fields, sizes: [])
      if case .file(let file) = new { result.largeRequestBody = file }
    }
    if case .file(let body) = interaction.response.body {
      let (new, sizes) = try rewritten(
        body, answering: interaction.request, interaction.response.head.fields,
        sizes: interaction.response.chunkSizes ?? [])
      guard new != .file(body) else { return result }
      result.response.body = new
      if result.response.chunkSizes != nil { result.response.chunkSizes = sizes.filter { $0 > 0 } }
      if sizes.contains(0) { result.volatile.chunkOffsetsMilliseconds = nil }
    }
    return result
  }

  /// Redacts a body in a file as it would be redacted while recording.
  private func rewritten(
    _ body: BodyFile, answering request: HTTPRequest?, _ fields: HTTPFields, sizes: [Int]
  ) throws(CassetteError) -> (body: RecordedBody, sizes: [Int]) {
    let spool = recorder.makeSpool(answering: request, fields: fields)
    let reader = try body.open()
    var offset = 0
    while offset < reader.size {
      let piece = try reader.bytes(at: offset, count: 1 << 18)
      guard !piece.isEmpty else { break }
      try piece.withRawBytes { piece throws(CassetteError) in try spool.append(piece) }
      offset += piece.count
    }
    let new = try spool.finish()
    // What was held comes back as bytes; they are judged with the rest of the exchange.
    return (new, spool.mapped(chunkSizes: sizes))
  }
}

extension JSONValue {
  /// With the members of their own that people wrote into another tree: those whose names begin with `_` or `x-`.
  fileprivate func keepingFreeMembers(of other: JSONValue) -> JSONValue {
    guard case .object(let members) = self, case .object(let others) = other else { return self }
    let kept = members.map { member in
      let old = others.first { $0.name == member.name }?.value
      let isMessage = member.name.isEqual(to: "request") || member.name.isEqual(to: "response")
      return isMessage
        ? JSONMember(member.name, old.map(member.value.keepingFreeMembers) ?? member.value) : member
    }
    return .object(kept + others.filter { StrictObject.isOwn($0.name) })
  }
}
