internal import TapedeckHTTP
internal import TapedeckProxy

/// The summary of a run for a terminal: the requests by outcome, the most frequent endpoints, and what went wrong, with
/// the command that would help.
struct SummaryScreen {
  private static let maximumEndpoints = 5
  private static let maximumListed = 5

  let summary: ProxySummary
  let endpoints: [EndpointCounts.Endpoint]
  /// Requests of endpoints that are not among these.
  let others: Int
  /// Whether requests were recorded, and whether recordings were served.
  let records: Bool
  let replays: Bool
  let width: Int
  let style: Style

  /// Lines with their ends, after an empty one: the cursor may stand behind a `^C`.
  var text: String {
    let blocks = [outcomes, endpointLines] + failures + misses
    return blocks.filter { !$0.isEmpty }.map { "\n" + $0.map { $0 + "\n" }.joined() }.joined()
  }

  // MARK: By outcome

  private var outcomes: [String] {
    let always: Set<String> = [
      records ? "recorded" : "replayed", replays ? "replayed" : "recorded", "unmatched",
      "upstream connections opened",
    ]
    let shown = summary.outcomes.filter { $0.count > 0 || always.contains($0.name) }
    let width = shown.map { "\($0.count)".width }.reduce(4, max)
    return shown.map { outcome in
      let details = outcome.details.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }
      let isBad = outcome.count > 0 && ["unmatched", "failed", "secrets found"].contains(outcome.name)
      let name = outcome.count == 1 ? outcome.name.replacing("connections", with: "connection") : outcome.name
      return "\(outcome.count)".leftPadded(to: width) + " " + style.paint(name, isBad ? .red : nil)
        + (details.isEmpty ? "" : style.paint(", of them \(details.joined(separator: ", "))", .dim))
    }
  }

  // MARK: Endpoints

  private var endpointLines: [String] {
    let table = TextTable<EndpointCounts.Endpoint>(
      columns: [
        .init(heading: "REQUESTS", isNumeric: true) { "\($0.count)" },
        .init(heading: "ENDPOINT", minimumWidth: 20) { $0.name },
        .init(
          heading: "STATUS", minimumWidth: 7,
          color: { $0.statuses.max().map { $0 < 400 ? .green : .ofStatus($0) } }
        ) { $0.statuses.map { $0 == 0 ? "-" : "\($0)" }.joined(separator: " ") },
        .init(heading: "MEAN TIME", isNumeric: true) {
          HumanText.duration(nanoseconds: $0.nanoseconds / Int64($0.count))
        },
      ], rows: Array(endpoints.prefix(Self.maximumEndpoints)))
    guard !endpoints.isEmpty else { return [] }
    let lines = table.text(width: width, style: style).split(separator: "\n").map(String.init)
    let rest = endpoints.count - Self.maximumEndpoints
    guard rest > 0 else { return lines }
    let uncounted = others > 0 ? ", and \(HumanText.count(others, "request")) to even more" : ""
    return lines + ["          and \(HumanText.count(rest, "other endpoint"))\(uncounted)"]
  }

  // MARK: What went wrong

  private var failures: [[String]] {
    let blocks = summary.failures.prefix(Self.maximumListed).map { failed in
      heading("failed", failed.method, failed.target, failed.count)
        + Printable.line(failed.failure.detail).wrapped(to: width, indent: 2)
    }
    let rest = summary.failed - summary.failures.prefix(Self.maximumListed).reduce(0) { $0 + $1.count }
    return blocks + (rest > 0 && !blocks.isEmpty ? [["and \(rest) more failed; see --report"]] : [])
  }

  private var misses: [[String]] {
    let listed = summary.unmatchedRequests.prefix(Self.maximumListed)
    let blocks = listed.map { group in
      heading("unmatched", group.miss.method, group.miss.target, group.count)
        + (group.miss.nearest.first.map { Miss.lines(of: $0, width: width, style: style) } ?? [])
        + (group.miss.fixes.first.map { Miss.lines(of: $0, width: width, style: style) } ?? [])
    }
    let rest = summary.unmatched - listed.reduce(0) { $0 + $1.count }
    return blocks + (rest > 0 ? [["and \(rest) more unmatched; see --report"]] : [])
  }

  private func heading(_ word: String, _ method: String, _ target: String, _ count: Int) -> [String] {
    let times = count > 1 ? ", \(count) times" : ""
    let room = max(16, width - word.width - 2 - times.width)
    let request = Printable.line("\(method) \(target)").shortened(to: room)
    return ["\(style.paint(word, .red)): \(request)\(times)"]
  }
}
