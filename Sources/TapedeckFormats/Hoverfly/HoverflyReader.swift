import TapedeckHTTP
import TapedeckRecording

/// Reads Hoverfly's simulations of schema 5, as far as each pair stands for one request and one response, which is
/// what its capture mode writes. The states by which it counts repeated requests become responses in order.
struct HoverflyReader {
  private var session = ImportedSession()
  /// Exchanges with their number in a sequence; those without one keep their place.
  private var numbers: [Int] = []

  static func read(_ document: JSONValue, from source: ImportSource) throws(CassetteError) -> ImportedSession
  {
    guard let pairs = document["data"]?["pairs"]?.array else {
      throw .invalidEntry(
        file: source.path, member: "data.pairs", problem: "Hoverfly has its pairs here, as an array")
    }
    if let version = document["meta"]?["schemaVersion"]?.text, !version.hasPrefix("v5") {
      throw .invalidEntry(
        file: source.path, member: "meta.schemaVersion",
        problem: "only v5 is read, and this is \(version); import it into Hoverfly and export it again")
    }
    var reader = HoverflyReader()
    for (index, pair) in pairs.enumerated() { reader.take(HoverflyPair(pair), source, "pair \(index + 1)") }
    reader.noteGlobals(document["data"], source.path)
    reader.sortSequences()
    return reader.session
  }

  private mutating func take(_ pair: HoverflyPair, _ source: ImportSource, _ entry: String) {
    let count = session.exchanges.count
    session.append(file: source.path, entry: entry) { draft throws(EntryRefusal) in
      try pair.fill(&draft, from: source)
    }
    if session.exchanges.count > count { numbers.append(pair.number ?? 1) }
  }

  private mutating func noteGlobals(_ data: JSONValue?, _ file: String) {
    let actions = data?["globalActions"]
    for name in ["delays", "delaysLogNormal"] where actions?[name]?.array?.isEmpty == false {
      session.note(.lost, "`globalActions.\(name)` is not carried over", file)
    }
  }

  /// Stable, since only the order among responses to one request means something.
  private mutating func sortSequences() {
    guard numbers.contains(where: { $0 != 1 }) else { return }
    let order = session.exchanges.indices.sorted { (numbers[$0], $0) < (numbers[$1], $1) }
    session.exchanges = order.map { session.exchanges[$0] }
  }
}
