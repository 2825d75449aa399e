internal import TapedeckHTTP
internal import TapedeckObjectStore

extension Verb {
  /// Removes what no sealed cassette in the store needs.
  static func trimStore(_ name: String, _ arguments: Arguments) throws -> ExitCode {
    guard !RemoteCassettes.isOffline else {
      throw UsageError("--offline asks no store, so nothing can be trimmed")
    }
    let isRehearsal = arguments.has(.dryRun)
    let progress = Progress("listing")
    defer { progress.finish() }
    let remote = try RemoteCassettes.remote(name)
    let garbage = try remote.garbage { progress.set($0, of: nil) }
    if !isRehearsal { try remote.remove(garbage) { progress.set($0, of: $1) } }
    progress.finish()
    let bytes = garbage.old.reduce(0) { $0 + $1.bytes }
    if !arguments.has(.json) { for (key, _) in garbage.old { Terminal.out("- \(Printable.line(key))\n") } }
    arguments.show(
      "\(isRehearsal ? "would remove" : "removed") \(HumanText.count(garbage.old.count, "object")) "
        + "(\(HumanText.size(bytes))) that no sealed cassette needs; \(garbage.keptCount) kept, and "
        + "\(garbage.youngCount) less than a day old, which a recording may be about to seal\n",
      json: [
        "dryRun": .bool(isRehearsal), "removedObjects": JSONValue(garbage.old.map(\.key)),
        "bytes": JSONValue(bytes), "kept": JSONValue(garbage.keptCount),
        "young": JSONValue(garbage.youngCount),
      ])
    return .good
  }
}
