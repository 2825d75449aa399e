internal import TapedeckHTTP
internal import TapedeckRecording

/// The verbs that read a cassette and tell what is in it.
enum CassetteVerbs {
  static func list(_ arguments: Arguments) throws -> ExitCode {
    let answers = try load(arguments, most: 1).answers
    if arguments.has(.json) {
      Terminal.out(String(decoding: JSONValue.array(answers.map(row)).bytes(.pretty), as: UTF8.self))
    } else {
      Terminal.out(CassetteTable.text(answers))
    }
    return .good
  }

  static func show(_ arguments: Arguments) throws -> ExitCode {
    let cassette = try load(arguments, most: 2)
    var answers = cassette.answers
    if let name = arguments.positional.dropFirst().first {
      answers = answers.filter { $0.fileName == name || $0.fileName == name + ".json" }
      guard !answers.isEmpty else {
        let known = cassette.answers.map(\.fileName)
        throw Failure(
          "\(cassette.path) has no interaction \(name.debugDescription)\(Spelling.hint(name, among: known))"
            + "; 'tapedeck ls \(arguments.positional[0])' lists them")
      }
    }
    Terminal.out(answers.map(InteractionText.text).joined(separator: "\n"))
    return .good
  }

  private static func load(_ arguments: Arguments, most: Int) throws -> Cassette {
    guard let name = arguments.positional.first else {
      throw UsageError("which cassette? give its name or path")
    }
    guard arguments.positional.count <= most else {
      throw UsageError("\(arguments.positional[most].debugDescription) is one word too many")
    }
    return try Cassette.load(try CassettePath.resolve(name)) { _, _ in nil }
  }

  private static func row(_ answer: RecordedAnswer) -> JSONValue {
    let interaction = answer.interaction
    return [
      "file": JSONValue(answer.fileName),
      "method": JSONValue(interaction.request.method.rawValue),
      "target": JSONValue(interaction.request.targetText),
      "status": JSONValue(interaction.response.head.status),
      "bodyBytes": JSONValue(interaction.response.body.count),
      "recordedAtMilliseconds": interaction.volatile.recordedAtMilliseconds.map { JSONValue($0) } ?? .null,
    ]
  }
}

/// A cassette as a table for people.
enum CassetteTable {
  static func text(_ answers: [RecordedAnswer]) -> String {
    let header = ["METHOD", "TARGET", "STATUS", "SIZE", "FILE"]
    let rows = [header] + answers.map(cells)
    let widths = header.indices.map { column in rows.map { $0[column].utf8.count }.max() ?? 0 }
    return rows.map { line($0, widths) }.joined()
  }

  private static func cells(_ answer: RecordedAnswer) -> [String] {
    let interaction = answer.interaction
    return [
      interaction.request.method.rawValue, interaction.request.targetText,
      "\(interaction.response.head.status)", size(interaction.response.body.count), answer.fileName,
    ]
  }

  private static func line(_ cells: [String], _ widths: [Int]) -> String {
    let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.utf8.count) }
    var text = padded.joined(separator: "  ")
    while text.last == " " { text.removeLast() }
    return text + "\n"
  }

  /// Rounded to a readable unit.
  static func size(_ bytes: Int) -> String {
    switch bytes {
    case ..<1024: "\(bytes) B"
    case ..<(1024 * 1024): "\((bytes + 512) / 1024) KiB"
    default: "\((bytes + 512 * 1024) / (1024 * 1024)) MiB"
    }
  }
}

/// One interaction, readable: JSON indented, binary bodies named by their size.
enum InteractionText {
  static func text(_ answer: RecordedAnswer) -> String {
    let (request, response) = (answer.interaction.request, answer.interaction.response)
    var text = "\(answer.fileName)\n"
    text += "> \(request.method) \(request.targetText)\n" + fields(request.fields, mark: ">")
    text += body(.bytes(request.body))
    let reason = printable(String(decoding: response.head.reason, as: UTF8.self))
    text += "< \(response.head.status) \(reason)\n" + fields(response.head.fields, mark: "<")
    return text + body(response.body) + fields(response.trailers, mark: "<")
  }

  private static func fields(_ fields: HTTPFields, mark: String) -> String {
    fields.map { field in
      let (name, value) = (
        String(decoding: field.name, as: UTF8.self), String(decoding: field.value, as: UTF8.self)
      )
      return "\(mark) \(name): \(printable(value))\n"
    }.joined()
  }

  private static func body(_ body: RecordedBody) -> String {
    guard body.count > 0 else { return "" }
    guard case .bytes(let bytes) = body, let text = String(validating: bytes, as: UTF8.self),
      !bytes.contains(0)
    else { return "(\(CassetteTable.size(body.count)) of binary data)\n" }
    if let json = try? JSONValue(parsing: bytes) {
      return String(decoding: json.bytes(.pretty), as: UTF8.self)
    }
    let shown = printable(text)
    return shown.hasSuffix("\n") ? shown : shown + "\n"
  }

  /// Without the control characters that would steer a terminal.
  private static func printable(_ text: String) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map {
          $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t" ? "\u{FFFD}" : $0
        }))
  }
}
