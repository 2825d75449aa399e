import TapedeckFormats
import TapedeckHTTP
package import TapedeckRecording
package import TapedeckRedaction

/// Redacts secrets in a file of another tool and changes nothing else: the bytes are edited in place, and the file is
/// replaced atomically.
///
/// A HAR or another recording that can be replayed in place is redacted as its exchanges are when they are loaded, so that
/// it still matches. In JSON, values under the name of a secret are redacted too; in texts only what was found.
package struct FileCleaning: Sendable {
  package private(set) var hiddenCount = 0
  /// Secrets that are still there.
  package private(set) var remaining: [SecretFind] = []
  /// Requests that no longer match when they come as they were recorded.
  package private(set) var unmatched: [String] = []

  /// - Throws: when it cannot be read or written; then it is as it was.
  package init(_ path: String, _ choice: RedactionChoice) throws(CassetteError) {
    let source = try ImportSource(reading: path)
    let session = try? ImportedSession.read(source)
    let known = session?.manifest?.redaction
    let redaction = choice.turnedOn.changed(known, upstream: session?.upstream)
    let scanner = redaction.rules.map { SecretScanner($0) } ?? SecretScanner()
    let requests = session?.exchanges.map(\.interaction.request) ?? []
    guard let policy = redaction.policy, !source.bytes.starts(with: [0x1F, 0x8B]) else {
      remaining = scanner.finds(inForeign: source)
      return
    }
    let memory = SecretMemory()
    for exchange in session?.exchanges ?? [] { _ = redaction.redacted(exchange.interaction, memory: memory) }
    for find in scanner.finds(inForeign: source) { memory.add(find, policy) }
    let new = try hidden(source, memory, policy)
    if new != source.bytes { try ForeignFile.replace(path, with: new) }
    let now = try ImportSource(reading: path)
    remaining = scanner.finds(inForeign: now)
    if hiddenCount > 0, !requests.isEmpty, let cassette = try? Cassette.open(path) {
      unmatched = cassette.unmatched(requests, redactedBy: redaction)
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
        path: source.path, reason: "hiding the secrets would have made other JSON of it; it is as it was")
    }
    return document
  }
}

extension JSONValue {
  /// Whether two trees differ in texts at most; a number may have become one.
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
