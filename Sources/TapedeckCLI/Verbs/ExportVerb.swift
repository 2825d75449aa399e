import TapedeckFormats
internal import TapedeckHTTP
internal import TapedeckRecording

extension Option {
  static let exportFormat = Option(
    "--format", "FORMAT",
    help: Verb.ExportedFormat.allCases.map(\.rawValue).joined(separator: ", "),
    choices: Verb.ExportedFormat.allCases.map(\.rawValue), default: "har")
  static let output = Option(
    "--output", "FILE", help: "the file to write, instead of standard output", aliases: ["-o"])
}

extension Verb {
  static let export = Verb(
    name: "export", group: .cassettes, summary: "write a cassette in the format of other tools",
    synopsis: "CASSETTE [--format FORMAT] [-o FILE]", options: [.exportFormat, .output] + Option.store,
    examples: [
      "tapedeck export example -o example.har", "tapedeck export example --format curl",
      "tapedeck export example --format vcrpy -o example.yaml",
    ],
    notes: """
      A HAR file holds everything: importing it gives the same cassette. --format curl writes commands that send the
      requests to the origin. The other formats hold less: what is lost is reported on standard error, one line per
      reason.
      """
  ) { arguments in
    let name = try arguments.words("cassette", required: 1)[0]
    let format = try arguments.choice(.exportFormat, ExportedFormat.self) ?? .har
    let cassette = try CassettePath.load(name)
    guard let path = arguments[.output] else {
      try write(cassette, format) { Terminal.out($0) }
      return .good
    }
    let file = try OutputFile(path)
    try write(cassette, format) { try file.write($0) }
    try file.finish()
    return .good
  }

  fileprivate enum ExportedFormat: String, CaseIterable { case har, curl, vcr, vcrpy, wiremock, hoverfly }

  private static func write(
    _ cassette: Cassette, _ format: ExportedFormat, into take: ([UInt8]) throws -> Void
  ) throws {
    let progress = Progress("exporting", total: cassette.count)
    defer { progress.finish() }
    func put(_ piece: [UInt8]) throws {
      try take(piece)
      progress.advance()
    }
    switch format {
    case .har:
      try HARWriter(creatorVersion: CommandLineTool.version).write(cassette, into: put)
    case .vcr, .vcrpy, .wiremock, .hoverfly:
      guard let format = ExportFormat(rawValue: format.rawValue) else { return }
      var export = CassetteExport(format, creatorVersion: CommandLineTool.version)
      for loss in try export.write(cassette, into: put) { Terminal.say("warning: \(loss)") }
    case .curl:
      for stored in cassette.interactions {
        try put(Array((stored.interaction.curlLine(of: cassette) + "\n").utf8))
      }
    }
  }
}
