import TapedeckFormats
internal import TapedeckHTTP
internal import TapedeckRecording

extension Option {
  static let exportFormat = Option(
    name: "--format", value: "FORMAT",
    help: "\(ExportVerb.Format.allCases.map(\.rawValue).joined(separator: ", ")) (har)")
  static let output = Option(
    name: "--output", value: "FILE", help: "where to, instead of standard output", aliases: ["-o"])
}

extension Verb {
  static let export = Verb(
    name: "export", group: .cassettes, summary: "write a cassette in the format of other tools",
    synopsis: "CASSETTE [--format FORMAT] [-o FILE]", options: [.exportFormat, .output],
    examples: [
      "tapedeck export example -o example.har", "tapedeck export example --format curl",
      "tapedeck export example --format vcrpy -o example.yaml",
    ],
    notes: """
      A HAR holds everything that is in the cassette: importing it gives the same files again. The lines of --format curl
      ask the origin for the same requests. The other formats hold less: what is not in the file is told on standard
      error, one line a reason.

      """,
    run: ExportVerb.run)
}

/// A cassette on its way out.
enum ExportVerb {
  enum Format: String, CaseIterable { case har, curl, vcr, vcrpy, wiremock, hoverfly }

  static func run(_ arguments: Arguments) throws -> ExitCode {
    let name = try arguments.words("cassette", required: 1)[0]
    let format = try arguments.choice(.exportFormat, Format.self) ?? .har
    let cassette = try CassetteReading.load(name)
    guard let path = arguments[.output] else {
      try write(cassette, format) { Terminal.out($0) }
      return .good
    }
    let file = try OutputFile(path)
    try write(cassette, format) { try file.write($0) }
    try file.finish()
    return .good
  }

  private static func write(_ cassette: Cassette, _ format: Format, into take: ([UInt8]) throws -> Void)
    throws
  {
    let progress = Progress("exporting", total: cassette.count)
    defer { progress.finish() }
    switch format {
    case .har:
      try HARWriter(creatorVersion: CommandLineTool.version).write(cassette) { piece in
        try take(piece)
        progress.advance()
      }
    case .vcr, .vcrpy, .wiremock, .hoverfly:
      guard let format = ExportFormat(rawValue: format.rawValue) else { return }
      var export = CassetteExport(format, creatorVersion: CommandLineTool.version)
      let losses = try export.write(cassette) { piece in
        try take(piece)
        progress.advance()
      }
      for loss in losses { Terminal.say("warning: \(loss)") }
    case .curl:
      for answer in cassette.answers { try take(Array((curlLine(answer, cassette) + "\n").utf8)) }
    }
  }

  private static func curlLine(_ answer: StoredInteraction, _ cassette: Cassette) -> String {
    let base = cassette.upstream ?? "http://\(answer.interaction.request.fields.text("host") ?? "localhost")"
    let body = answer.interaction.largeRequestBody.map {
      CurlCommand.Body.file("\(cassette.path)/\($0.name)")
    }
    return CurlCommand(answer.interaction.request, base: base, body: body ?? .inline).text
  }
}
