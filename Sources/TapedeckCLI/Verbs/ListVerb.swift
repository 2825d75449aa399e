internal import Glibc
import TapedeckFormats
internal import TapedeckHTTP
import TapedeckMaintenance
internal import TapedeckRecording

extension Option {
  static let hits = Option(
    "--hits", "REPORT",
    help: "also show how often each was served, from a run's --report", aliases: ["--report"])
}

extension Verb {
  static let list = Verb(
    name: "ls", group: .cassettes, summary: "list the interactions of a cassette, or all cassettes",
    synopsis: "[CASSETTE] [--json] [--hits REPORT]", options: [.json, .hits] + Option.store,
    examples: ["tapedeck ls", "tapedeck ls example", "tapedeck ls --json example | jq '.[].target'"],
    notes: """
      Without a name, lists the cassettes in Cassettes/. On a terminal, lines are cut to its width.
      """
  ) { arguments in
    guard let name = try arguments.words("cassette", required: 0).first else {
      return try listCassettes(arguments)
    }
    let hits = try arguments[.hits].map(readHits)
    let cassette = try CassettePath.load(name)
    if cassette.interactions.isEmpty, !arguments.has(.json) {
      Terminal.say("\(CassettePath.shown(cassette.path)) holds no interactions")
    } else {
      arguments.show(
        table(cassette.interactions, hits).text(),
        json: .array(cassette.interactions.map { json($0, hits) }))
    }
    return .good
  }

  /// How often each interaction file was served, from the report of a run.
  static func readHits(_ file: String) throws(Failure) -> [String: Int] {
    let bytes = try [UInt8](contentsOf: file)
    let document: JSONValue
    do { document = try JSONValue(parsing: bytes) } catch {
      throw Failure("\(file) is not the report of a run: \(error)")
    }
    guard document["tapedeck-report"]?.int == 1, let uses = document["interactions"]?.array else {
      throw Failure(
        "\(file) is not the report of a run; --report FILE of replay, serve and run writes one")
    }
    var hits: [String: Int] = [:]
    for use in uses {
      guard let name = use["file"]?.text, let count = use["hits"]?.int else {
        throw Failure("\(file) is damaged: an item of `interactions` has no `file` and `hits`")
      }
      hits[name] = count
    }
    return hits
  }

  // MARK: The interactions of a cassette

  private static func table(
    _ interactions: [StoredInteraction], _ hits: [String: Int]?
  ) -> TextTable<StoredInteraction> {
    let now = time(nil)
    func operation(_ stored: StoredInteraction) -> String? {
      RequestOperation.name(of: stored.recorded.request)
    }
    let hasOrigins = interactions.contains { $0.recorded.request.namesOrigin }
    let hasOperations = interactions.contains { operation($0) != nil }
    let columns: [TextTable<StoredInteraction>.Column?] = [
      .init(heading: "METHOD") { $0.interaction.request.method.rawValue },
      hasOrigins
        ? .init(heading: "ORIGIN", minimumWidth: 12) { $0.recorded.request.origin.map { "\($0)" } ?? "-" }
        : nil,
      .init(heading: "PATH", minimumWidth: 12) { $0.interaction.request.targetText },
      hasOperations ? .init(heading: "OPERATION", minimumWidth: 8) { operation($0) ?? "-" } : nil,
      .init(
        heading: "STATUS", isNumeric: true, color: { .ofStatus($0.interaction.response.head.status) }
      ) { "\($0.interaction.response.head.status)" },
      .init(heading: "SIZE", isNumeric: true) {
        $0.interaction.response.webSocket?.summary ?? HumanText.size($0.interaction.response.body.count)
      },
      .init(heading: "AGE", isNumeric: true) {
        $0.interaction.volatile.recordedAtMilliseconds.map { HumanText.age(now - $0 / 1000) } ?? "-"
      },
      hits.map { hits in
        .init(heading: "HITS", isNumeric: true, color: { hits[$0.fileName] == 0 ? .yellow : nil }) {
          hits[$0.fileName].map(String.init) ?? "-"
        }
      },
      .init(heading: "FILE", minimumWidth: 16, color: { _ in .dim }) { $0.fileName },
    ]
    return TextTable(columns: columns.compactMap { $0 }, rows: interactions)
  }

  private static func json(_ stored: StoredInteraction, _ hits: [String: Int]?) -> JSONValue {
    let interaction = stored.interaction
    let members: [JSONMember] = [
      JSONMember("file", JSONValue(stored.fileName)),
      JSONMember("method", JSONValue(interaction.request.method.rawValue)),
      JSONMember("target", JSONValue(interaction.request.targetText)),
      JSONMember("operation", JSONValue(RequestOperation.name(of: interaction.request))),
      JSONMember("status", JSONValue(interaction.response.head.status)),
      JSONMember("bodyBytes", JSONValue(interaction.response.body.count)),
      JSONMember("recordedAtMilliseconds", JSONValue(interaction.volatile.recordedAtMilliseconds)),
    ]
    let messages = interaction.response.webSocket.map {
      [JSONMember("messages", JSONValue($0.messages.count))]
    }
    let origin = interaction.origin.map { [JSONMember("origin", JSONValue("\($0)"))] } ?? []
    let served = hits.map { [JSONMember("hits", JSONValue($0[stored.fileName]))] }
    return .object(members + (messages ?? []) + origin + (served ?? []))
  }

  // MARK: The cassettes of the current folder

  private static func listCassettes(_ arguments: Arguments) throws -> ExitCode {
    let summaries = try CassetteSummary.all(in: CassettePath.folder)
    if summaries.isEmpty, !arguments.has(.json) {
      Terminal.say(
        "there are no cassettes in \(CassettePath.folder)/; record one with: "
          + "tapedeck record --upstream URL --cassette NAME")
    } else {
      arguments.show(table(summaries).text(), json: .array(summaries.map(\.json)))
    }
    return .good
  }

  private static func table(_ summaries: [CassetteSummary]) -> TextTable<CassetteSummary> {
    TextTable(
      columns: [
        .init(heading: "CASSETTE", minimumWidth: 12) { $0.name },
        .init(heading: "INTERACTIONS", isNumeric: true) { $0.interactions.map(String.init) ?? "-" },
        .init(heading: "SIZE", isNumeric: true) { HumanText.size($0.bytes) },
        .init(heading: "UPSTREAM", minimumWidth: 16, color: { $0.problem == nil ? .dim : .red }) {
          $0.problem
            ?? "\($0.upstream ?? $0.origins?.firstThree ?? "-")\($0.hasJournal ? " (not sealed)" : "")"
        },
      ], rows: summaries)
  }
}
