import TapedeckHTTP
import TapedeckRecording

/// Reads WireMock's stub mappings as far as each stands for one request and one response, which is what its recorder
/// writes. Repeated requests come as scenarios: a chain of states, which becomes responses in order. Patterns, faults,
/// templates and proxying stand for no exchange; they are left out, and an override route can take their place.
struct WireMockReader {
  /// A mapping that became an exchange, with what decides among several for one request.
  private struct Candidate {
    var exchange: ImportedExchange
    var mapping: WireMockMapping
    var file: String
    var entry: String
  }

  private var session = ImportedSession()
  private var candidates: [Candidate] = []

  static func isMapping(_ document: JSONValue) -> Bool {
    document["request"]?.members != nil && document["response"]?.members != nil
  }

  static func read(_ documents: [(JSONValue, ImportSource)]) throws(CassetteError) -> ImportedSession {
    var reader = WireMockReader()
    for (document, source) in documents {
      let mappings = document["mappings"]?.array ?? (isMapping(document) ? [document] : nil)
      guard let mappings else {
        throw .invalidEntry(
          file: source.path, member: "mappings", problem: "WireMock has its stubs here, as an array")
      }
      for (index, mapping) in mappings.enumerated() {
        let number = mappings.count == 1 && document["mappings"] == nil ? "mapping" : "mapping \(index + 1)"
        reader.take(WireMockMapping(mapping), source, number)
      }
    }
    reader.settle()
    return reader.session
  }

  private mutating func take(_ mapping: WireMockMapping, _ source: ImportSource, _ entry: String) {
    let count = session.exchanges.count
    session.append(file: source.path, entry: entry) { draft throws(EntryRefusal) in
      try mapping.fill(&draft, from: source)
    }
    guard session.exchanges.count > count else { return }
    candidates.append(
      Candidate(exchange: session.exchanges.removeLast(), mapping: mapping, file: source.path, entry: entry))
  }

  /// Puts the responses to one request in order: those of a scenario as its states follow each other; of mappings that
  /// always match, the first alone.
  private mutating func settle() {
    let matcher = RequestMatcher()
    let keys = candidates.map { matcher.key(for: $0.exchange.interaction.request) }
    let groups = Dictionary(grouping: candidates.indices) { keys[$0] }
    var seen: Set<MatchKey> = []
    for key in keys where seen.insert(key).inserted {
      let group = (groups[key] ?? []).map { candidates[$0] }
      if group.allSatisfy({ $0.mapping.scenario != nil }) { takeScenario(group) } else { takeBest(group) }
    }
  }

  private mutating func takeScenario(_ group: [Candidate]) {
    let name = group[0].mapping.scenario
    let isAlone = candidates.count { $0.mapping.scenario == name } == group.count
    let chain = isAlone ? Self.order(group.map(\.mapping)) : nil
    guard let chain else {
      for each in group {
        session.note(
          .skipped, "its scenario is more than answers in order; left out", each.file, each.entry,
          summary(each))
      }
      return
    }
    session.exchanges += chain.map { group[$0].exchange }
  }

  private mutating func takeBest(_ group: [Candidate]) {
    let best = group.indices.min { group[$0].mapping.priority < group[$1].mapping.priority } ?? 0
    session.exchanges.append(group[best].exchange)
    for (index, each) in group.enumerated() where index != best {
      session.note(
        .skipped, "another mapping for the same request goes before it; left out", each.file, each.entry,
        summary(each))
    }
  }

  private func summary(_ candidate: Candidate) -> String {
    let request = candidate.exchange.interaction.request
    return "\(request.method) \(String(decoding: request.path, as: UTF8.self))"
  }

  /// The state every scenario begins in.
  private static let start = "Started"

  /// The indices of a scenario's mappings in the order in which their states follow each other; nil when they are no
  /// single chain.
  private static func order(_ mappings: [WireMockMapping]) -> [Int]? {
    guard Set(mappings.map(\.scenario)).count == 1 else { return nil }
    var order: [Int] = []
    var state: String? = start
    while let now = state, order.count < mappings.count {
      let found = mappings.indices.filter { (mappings[$0].requiredState ?? start) == now }
      guard found.count == 1, let index = found.first, !order.contains(index) else { return nil }
      order.append(index)
      state = mappings[index].newState
    }
    return order.count == mappings.count && state == nil ? order : nil
  }
}
