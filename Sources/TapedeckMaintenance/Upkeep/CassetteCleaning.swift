import TapedeckFormats
import TapedeckHTTP
package import TapedeckRecording
package import TapedeckRedaction

/// Redacts secrets in a cassette, by changed rules and by a scan, or in a file of another tool.
///
/// Every file is replaced atomically, and every intermediate state is a cassette that replays as before: requests are
/// redacted before they are compared, so it does not matter whether a recording is already redacted. Bodies are written
/// before the files that need them; the rules and the new names come last.
package struct CassetteCleaning: Sendable {
  /// The number of redacted values, and the files with them.
  package private(set) var hiddenCount = 0
  package private(set) var changedFiles: [String] = []
  package private(set) var renamed: [(old: String, new: String)] = []
  /// The number of interactions sealed from a left-over journal.
  package private(set) var recoveredCount = 0
  package private(set) var recoveredHiddenCount = 0
  package private(set) var remaining: [SecretFind] = []
  /// Requests that no longer match in the form in which they were recorded.
  package private(set) var unmatched: [String] = []

  /// - Parameter choice: additions to the redaction rules of the cassette, which are stored in it.
  package init(
    _ path: String, _ choice: RedactionChoice, onStep: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(CassetteError) {
    let requests = try replaceFiles(path, choice, onStep: onStep)
    let locked = try LockedCassette(path)
    renamed = try CassetteTidying(locked, changed: Set(changedFiles)).renamed
    let newNames = Dictionary(uniqueKeysWithValues: renamed.map { ($0.old, $0.new) })
    changedFiles = changedFiles.map { newNames[$0] ?? $0 }.sorted()
    unmatched = locked.cassette.unmatched(requests, redactedBy: locked.cassette.matcher.redaction)
    remaining = try SecretScan(path).units.first { $0.kind == .cassette }?.finds ?? []
  }

  /// - Returns: the old requests of changed interactions.
  private mutating func replaceFiles(
    _ path: String, _ choice: RedactionChoice, onStep: (Int, Int) -> Void
  ) throws(CassetteError) -> [HTTPRequest] {
    let origins = try CassetteDirectory(opening: path).origins()
    let recorder = try CassetteRecorder.open(
      path, origins: origins, replacing: false, redaction: choice.turnedOn, secrets: .hide)
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

  // MARK: Files of other tools

  /// Redacts secrets in a file of another tool and changes nothing else: the bytes are edited in place, and the file is
  /// replaced atomically.
  ///
  /// A HAR or another recording that can be replayed in place is redacted as its exchanges are when loaded, so that it still
  /// matches. In JSON, values under the name of a secret are redacted too; in texts, only what the scan found.
  /// - Throws: if the file cannot be read or written; then it is unchanged.
  package init(file path: String, _ choice: RedactionChoice) throws(CassetteError) {
    let source = try ImportSource(reading: path)
    let session = try? ImportedSession.read(source)
    let redaction = choice.turnedOn.changed(
      session?.manifest?.redaction, upstream: session?.recordedOrigins.upstream)
    let scanner = redaction.rules.map { SecretScanner($0) } ?? SecretScanner()
    guard let policy = redaction.policy, !source.bytes.starts(with: [0x1F, 0x8B]) else {
      remaining = scanner.finds(inForeign: source)
      return
    }
    let memory = SecretMemory()
    let interactions = session?.exchanges.map(\.interaction) ?? []
    for interaction in interactions { _ = redaction.redacted(interaction, memory: memory) }
    for find in scanner.finds(inForeign: source) where !find.isUnsearchedBody { memory.add(find, policy) }
    let new = try hidden(source, memory, policy)
    if new != source.bytes { try ForeignFile.replace(path, with: new) }
    remaining = scanner.finds(inForeign: try ImportSource(reading: path))
    guard hiddenCount > 0 else { return }
    changedFiles = [path]
    if !interactions.isEmpty, let cassette = try? Cassette.open(path) {
      unmatched = cassette.unmatched(interactions.map(\.request), redactedBy: redaction)
    }
  }

  private mutating func hidden(
    _ source: ImportSource, _ memory: SecretMemory, _ policy: RedactionPolicy
  ) throws(CassetteError) -> [UInt8] {
    let copies = memory.copies(in: source.bytes[...])
    hiddenCount = copies.count
    let new = copies.applied(to: source.bytes[...])
    guard let tree = try? JSONValue(parsing: source.bytes) else { return new }
    let finds = SecretSearch(policy).value(new[...], depth: 0)
    hiddenCount += finds.count
    let document = finds.applied(to: new[...])
    guard let changed = try? JSONValue(parsing: document), changed.hasShape(of: tree) else {
      throw .refused(
        path: source.path, reason: "redaction would change the structure of its JSON; it is unchanged")
    }
    return document
  }
}

extension Cassette {
  /// The requests that no longer match, each as a redacted line.
  fileprivate func unmatched(_ requests: [HTTPRequest], redactedBy redaction: Redaction) -> [String] {
    requests.filter { sequence(for: $0) == nil && linkedSequence(for: $0) == nil }.map { request in
      "\(request.method.rawValue) \(String(decoding: redaction.redacted(request).path, as: UTF8.self))"
    }
  }
}

extension JSONValue {
  /// Whether two trees differ only in texts; a number may have become a text.
  fileprivate func hasShape(of other: JSONValue) -> Bool {
    switch (self, other) {
    case (.string, .string), (.string, .number): true
    case (.array(let left), .array(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.hasShape(of: $1) }
    case (.object(let left), .object(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.value.hasShape(of: $1.value) }
    default: self == other
    }
  }
}
