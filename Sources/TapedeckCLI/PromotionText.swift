internal import TapedeckHTTP
import TapedeckMaintenance
internal import TapedeckProxy
internal import TapedeckRecording

extension PromotionTrial.Outcome {
  /// In what a response is not the recorded one.
  fileprivate var difference: String? {
    switch self {
    case .differs(_, let difference): difference
    case .lacks(_, let fields): "without \(fields.joined(separator: ", "))"
    case .reproduced, .left: nil
    }
  }
}

/// What was inferred from a session, for people and for programs.
struct PromotionText {
  let backend: PromotionReview
  let style: Style

  private static let shownDifferences = 20

  var text: String {
    let table = table.text(width: Terminal.outputColumns, style: style)
    return (backend.verdicts.isEmpty ? "" : table) + notes + differences + rest
  }

  private var table: TextTable {
    var table = TextTable(columns: [
      .init(heading: "PATH", minimumWidth: 16), .init(heading: "OBJECTS", isNumeric: true),
      .init(heading: "SEEN", minimumWidth: 12), .init(heading: "ASSUMED", minimumWidth: 8),
      .init(heading: "REPRODUCED", isNumeric: true), .init(heading: "CONFIDENCE", isNumeric: true),
    ])
    table.rows = backend.verdicts.map { verdict in
      let resource = verdict.resource
      let percent = "\(Int((verdict.confidence * 100).rounded())) %"
      return [
        .init(Printable.line(resource.path)),
        .init(resource.objectCount == 0 ? "-" : "\(resource.objectCount)"),
        .init(resource.seen.joined(separator: ", ")), .init(resource.assumed.joined(separator: ", "), .dim),
        .init(
          "\(verdict.reproduced) of \(verdict.answered)",
          verdict.reproduced < verdict.answered ? .yellow : nil),
        .init(verdict.isTaken ? percent : "\(percent), left out", verdict.isTaken ? .green : .yellow),
      ]
    }
    return table
  }

  private var notes: String {
    backend.verdicts.flatMap { verdict in
      verdict.resource.notes.map { "\(Printable.line("\(verdict.resource.path): \($0)"))\n" }
    }.joined()
  }

  private var differences: String {
    let lines = zip(backend.exchanges, backend.outcomes).compactMap { exchange, outcome -> String? in
      guard let difference = outcome.difference else { return nil }
      return "\(style.paint("differs", .yellow)): \(Printable.line("\(exchange.line): \(difference)"))\n"
    }
    let more = lines.count - Self.shownDifferences
    return lines.prefix(Self.shownDifferences).joined() + (more > 0 ? "… and \(more) more\n" : "")
  }

  private var rest: String {
    let left = backend.outcomes.count { $0 == .left }
    let all = backend.outcomes.count
    return "\(HumanText.count(all - left, "request")) answered by the store, \(left) by the cassette\n"
  }

  static func json(_ backend: PromotionReview, file: String?) -> JSONValue {
    [
      "file": file.map { JSONValue($0) } ?? .null,
      "resources": .array(
        backend.verdicts.map { verdict in
          let resource = verdict.resource
          return [
            "id": JSONValue(resource.id), "path": JSONValue(resource.path),
            "taken": .bool(verdict.isTaken),
            "confidence": JSONValue((verdict.confidence * 100).rounded() / 100),
            "objects": JSONValue(resource.objectCount),
            "seen": .array(resource.seen.map { JSONValue($0) }),
            "assumed": .array(resource.assumed.map { JSONValue($0) }),
            "notes": .array(resource.notes.map { JSONValue($0) }),
            "reproduced": JSONValue(verdict.reproduced), "answered": JSONValue(verdict.answered),
          ]
        }),
      "exchanges": .array(zip(backend.exchanges, backend.outcomes).map(json)),
    ]
  }

  private static func json(_ exchange: PromotedExchange, _ outcome: PromotionTrial.Outcome) -> JSONValue {
    let (word, resource, difference): (String, String?, String?) =
      switch outcome {
      case .reproduced(let resource): ("reproduced", resource, nil)
      case .differs(let resource, let difference): ("differs", resource, difference)
      case .lacks(let resource, _): ("differs", resource, outcome.difference)
      case .left: ("cassette", nil, nil)
      }
    return [
      "file": JSONValue(exchange.file), "request": JSONValue(exchange.line), "outcome": JSONValue(word),
      "resource": resource.map { JSONValue($0) } ?? .null,
      "difference": difference.map { JSONValue($0) } ?? .null,
    ]
  }
}
