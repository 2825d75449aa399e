internal import Glibc
internal import TapedeckHTTP
internal import TapedeckRecording

extension Option {
  static let hits = Option(
    name: "--hits", value: "REPORT",
    help: "with how often each was given in a run, which wrote that with --report",
    aliases: ["--report"])
}

extension Verb {
  static let list = Verb(
    name: "ls", group: .cassettes, summary: "list the interactions of a cassette, or all cassettes",
    synopsis: "[CASSETTE] [--json] [--hits REPORT]", options: [.json, .hits],
    examples: ["tapedeck ls", "tapedeck ls example", "tapedeck ls --json example | jq '.[].target'"],
    notes: """
      Without a name it lists the cassettes in Cassettes/. On a terminal the lines fit its width; in a pipe
      everything is told in full.
      """
  ) { arguments in
    guard let name = try arguments.words("cassette", required: 0).first else {
      return try CassetteList.tell(asJSON: arguments.has(.json))
    }
    let report = try arguments[.hits].map { try UsageReport(parsing: try Files.read($0), file: $0) }
    return try InteractionList(name, report).tell(asJSON: arguments.has(.json))
  }
}

/// What is in a cassette, as a table.
struct InteractionList {
  private let cassette: Cassette
  private let report: UsageReport?

  init(_ name: String, _ report: UsageReport?) throws {
    cassette = try CassetteReading.load(name)
    self.report = report
  }

  func tell(asJSON: Bool) throws -> ExitCode {
    if asJSON {
      Terminal.out(json: JSONValue.array(cassette.answers.map(json)))
    } else if cassette.answers.isEmpty {
      Terminal.say("\(cassette.path) holds no interactions")
    } else {
      Terminal.out(table.text(width: Terminal.outputColumns, style: .output))
    }
    return .good
  }

  private var table: TextTable {
    var table = TextTable(columns: [
      .init(heading: "METHOD"), .init(heading: "PATH", minimumWidth: 12),
      .init(heading: "STATUS", isNumeric: true), .init(heading: "SIZE", isNumeric: true),
      .init(heading: "AGE", isNumeric: true), .init(heading: "FILE", minimumWidth: 16),
    ])
    if report != nil { table.columns.insert(.init(heading: "HITS", isNumeric: true), at: Self.hitsColumn) }
    let now = time(nil)
    table.rows = cassette.answers.map { row($0, now: now) }
    let operations = cassette.answers.map { RequestOperation.name(of: $0.recorded.request) }
    guard operations.contains(where: { $0 != nil }) else { return table }
    table.columns.insert(.init(heading: "OPERATION", minimumWidth: 8), at: Self.operationColumn)
    for (index, operation) in operations.enumerated() {
      table.rows[index].insert(.init(Printable.line(operation ?? "-")), at: Self.operationColumn)
    }
    return table
  }

  /// Behind the path; only there where an interaction has one.
  private static let operationColumn = 2

  private func row(_ answer: StoredInteraction, now: Int) -> [TextTable.Cell] {
    let interaction = answer.interaction
    let status = interaction.response.head.status
    var row: [TextTable.Cell] = [
      .init(interaction.request.method.rawValue), .init(Printable.line(interaction.request.targetText)),
      .init("\(status)", Style.color(ofStatus: status)),
      .init(HumanText.size(interaction.response.body.count)),
      .init(interaction.volatile.recordedAtMilliseconds.map { HumanText.age(now - $0 / 1000) } ?? "-"),
      .init(Printable.line(answer.fileName), .dim),
    ]
    if let report {
      let hits = report.hits[answer.fileName]
      row.insert(.init(hits.map(String.init) ?? "-", hits == 0 ? .yellow : nil), at: Self.hitsColumn)
    }
    return row
  }

  /// Behind the age.
  private static let hitsColumn = 5

  private func json(_ answer: StoredInteraction) -> JSONValue {
    let interaction = answer.interaction
    var members: [JSONMember] = [
      JSONMember("file", JSONValue(answer.fileName)),
      JSONMember("method", JSONValue(interaction.request.method.rawValue)),
      JSONMember("target", JSONValue(interaction.request.targetText)),
      JSONMember(
        "operation", RequestOperation.name(of: interaction.request).map { JSONValue($0) } ?? .null),
      JSONMember("status", JSONValue(interaction.response.head.status)),
      JSONMember("bodyBytes", JSONValue(interaction.response.body.count)),
      JSONMember(
        "recordedAtMilliseconds", interaction.volatile.recordedAtMilliseconds.map { JSONValue($0) } ?? .null),
    ]
    if let report {
      members.append(JSONMember("hits", report.hits[answer.fileName].map { JSONValue($0) } ?? .null))
    }
    return .object(members)
  }
}

/// The cassettes of the current folder, as a table.
enum CassetteList {
  static func tell(asJSON: Bool) throws -> ExitCode {
    let summaries = try CassetteSummary.all(in: CassettePath.folder)
    if asJSON {
      Terminal.out(json: JSONValue.array(summaries.map(json)))
    } else if summaries.isEmpty {
      Terminal.say(
        "there are no cassettes in \(CassettePath.folder)/; record one with: "
          + "tapedeck record --upstream URL --cassette NAME")
    } else {
      Terminal.out(table(summaries).text(width: Terminal.outputColumns, style: .output))
    }
    return .good
  }

  private static func table(_ summaries: [CassetteSummary]) -> TextTable {
    var table = TextTable(columns: [
      .init(heading: "CASSETTE", minimumWidth: 12), .init(heading: "INTERACTIONS", isNumeric: true),
      .init(heading: "SIZE", isNumeric: true), .init(heading: "UPSTREAM", minimumWidth: 16),
    ])
    table.rows = summaries.map { summary in
      [
        .init(Printable.line(summary.name)), .init(summary.interactions.map(String.init) ?? "-"),
        .init(HumanText.size(summary.bytes)), note(summary),
      ]
    }
    return table
  }

  private static func note(_ summary: CassetteSummary) -> TextTable.Cell {
    if let problem = summary.problem { return .init(Printable.line(problem), .red) }
    let upstream = Printable.line(summary.upstream ?? "-")
    return .init(summary.hasJournal ? "\(upstream) (not sealed)" : upstream, .dim)
  }

  private static func json(_ summary: CassetteSummary) -> JSONValue {
    [
      "name": JSONValue(summary.name),
      "interactions": summary.interactions.map { JSONValue($0) } ?? .null,
      "bytes": JSONValue(summary.bytes),
      "upstream": summary.upstream.map { JSONValue($0) } ?? .null,
      "sealed": .bool(!summary.hasJournal),
      "problem": summary.problem.map { JSONValue($0) } ?? .null,
    ]
  }
}
