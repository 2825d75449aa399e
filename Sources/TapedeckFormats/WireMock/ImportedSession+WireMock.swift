import TapedeckHTTP
import TapedeckRecording

/// Reads WireMock's stub mappings as far as each stands for one request and one response, which is what its recorder
/// writes. Repeated requests come as scenarios: a chain of states, which becomes responses in order. Patterns, faults,
/// templates and proxying stand for no exchange; they are left out, and an override route can take their place.
extension ImportedSession {
  /// A mapping that became an exchange.
  private typealias Candidate = (exchange: ImportedExchange, mapping: JSONValue, file: String, entry: String)

  static func isWireMock(_ document: JSONValue) -> Bool {
    document["request"]?.members != nil && document["response"]?.members != nil
  }

  static func readWireMock(_ documents: [(JSONValue, ImportSource)]) throws(CassetteError) -> Self {
    var session = ImportedSession()
    var candidates: [Candidate] = []
    for (document, source) in documents {
      guard let mappings = document["mappings"]?.array ?? (isWireMock(document) ? [document] : nil) else {
        throw .invalidEntry(
          file: source.path, member: "mappings", problem: "WireMock has its stubs here, as an array")
      }
      let isAlone = mappings.count == 1 && document["mappings"] == nil
      for (index, mapping) in mappings.enumerated() {
        let entry = isAlone ? "mapping" : "mapping \(index + 1)"
        let isTaken = session.append(file: source.path, entry: entry) { draft throws(EntryRefusal) in
          try draft.fill(wireMock: mapping, from: source)
        }
        if isTaken { candidates.append((session.exchanges.removeLast(), mapping, source.path, entry)) }
      }
    }
    session.settle(candidates)
    return session
  }

  /// Puts the responses to one request in order: those of a scenario as its states follow each other; of mappings that
  /// always match, the first alone.
  private mutating func settle(_ candidates: [Candidate]) {
    let matcher = RequestMatcher(comparesOrigin: true)
    let sizes = Dictionary(grouping: candidates) { $0.mapping["scenarioName"]?.text }.mapValues(\.count)
    func key(_ exchange: ImportedExchange) -> MatchKey {
      matcher.key(for: (exchange.named ?? exchange).interaction.request)
    }
    for (_, group) in candidates.groupedInOrder(by: { key($0.exchange) }) {
      let scenarios = group.map { $0.mapping["scenarioName"]?.text }
      let isScenario = !scenarios.contains(nil)
      if isScenario, sizes[scenarios[0]] == group.count, let chain = Self.chain(group.map(\.mapping)) {
        exchanges += chain.map { group[$0].exchange }
        continue
      }
      // A priority of 1 goes first, and 5 is that of a mapping without one.
      let best = group.indices.min { Self.priority(group[$0].mapping) < Self.priority(group[$1].mapping) }
      for (index, each) in group.enumerated() {
        if !isScenario, index == best {
          exchanges.append(each.exchange)
          continue
        }
        let request = each.exchange.interaction.request
        note(
          EntryRefusal(
            isScenario
              ? "its scenario is more than responses in order"
              : "another mapping for the same request goes before it"), each.file, each.entry,
          "\(request.method) \(String(decoding: request.path, as: UTF8.self))")
      }
    }
  }

  private static func priority(_ mapping: JSONValue) -> Int { mapping["priority"]?.int ?? 5 }

  /// The indices of a scenario's mappings in the order in which their states follow each other; `nil` if they are no
  /// single chain.
  private static func chain(_ mappings: [JSONValue]) -> [Int]? {
    guard Set(mappings.map { $0["scenarioName"]?.text }).count == 1 else { return nil }
    // The state every scenario begins in.
    let start = "Started"
    var order: [Int] = []
    var state: String? = start
    while let now = state, order.count < mappings.count {
      let found = mappings.indices.filter { (mappings[$0]["requiredScenarioState"]?.text ?? start) == now }
      guard found.count == 1, let index = found.first, !order.contains(index) else { return nil }
      order.append(index)
      state = mappings[index]["newScenarioState"]?.text
    }
    return order.count == mappings.count && state == nil ? order : nil
  }
}
