import TapedeckHTTP
import TapedeckRecording

/// Reads HAR 1.2 as tools really write it.
///
/// It promises an interaction for every entry that holds a whole exchange, and a note for every other. It assumes only
/// that there is JSON with `log.entries`; members may be missing, of the wrong type or private. Redirects stay
/// responses of their own. What our own writer put into `_tapedeck` gives back what HAR itself cannot hold, see `HARExtension`.
enum HARReader {
  /// The log, which browsers' extensions get without its root.
  private static func log(_ document: JSONValue) -> JSONValue? {
    document["log"] ?? (document["entries"] != nil && document["creator"] != nil ? document : nil)
  }

  static func isHAR(_ document: JSONValue) -> Bool { log(document)?["entries"] != nil }

  static func read(_ document: JSONValue, from source: ImportSource) throws(CassetteError) -> ImportedSession
  {
    guard let log = log(document), let entries = log["entries"]?.array else {
      throw .invalidEntry(
        file: source.path, member: "log.entries", problem: "a HAR has its entries here, as an array")
    }
    var session = ImportedSession()
    session.manifest = try HARExtension.manifest(log, file: source.path)
    for (index, entry) in entries.enumerated() {
      let name = "entry \(index + 1)"
      guard HARExtension.isOurs(entry) else {
        session.append(file: source.path, entry: name) { draft throws(EntryRefusal) in
          try HAREntry(entry, source: source).fill(&draft)
        }
        continue
      }
      do throws(EntryRefusal) {
        session.exchanges.append(try HARExtension.exchange(entry, named: name, in: source))
      } catch {
        session.note(.skipped, error.problem, source.path, name)
      }
    }
    return session
  }
}
