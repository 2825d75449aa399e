internal import Glibc
import TapedeckFormats
internal import TapedeckHTTP
internal import TapedeckRecording

extension Option {
  static let curl = Option("--curl", help: "as curl commands for the origin")
  static let body = Option("--body", help: "the body of one response, byte for byte")
}

extension Verb {
  static let show = Verb(
    name: "show", group: .cassettes, summary: "show the interactions of a cassette",
    synopsis: "CASSETTE [INTERACTION] | FILE.json  [--curl | --json | --body]",
    options: [.curl, .json, .body] + Option.store,
    examples: [
      "tapedeck show example",
      "tapedeck show example /users/1 --curl",
      "tapedeck show example get-users-1-3f9a1c --body | jq .",
      "git config diff.tapedeck.textconv 'tapedeck show'",
      "echo 'Cassettes/**/*.json diff=tapedeck' >> .gitattributes",
    ],
    notes: """
      INTERACTION is a file name (.json and the folder may be left out), the beginning of one, a path, or a URL. A
      single FILE.json is shown without volatile facts such as dates, as text that git can compare (the last two
      examples).
      """
  ) { arguments in
    let words = try arguments.words("cassette", "interaction", required: 1)
    guard [Option.curl, .json, .body].count(where: arguments.has) <= 1 else {
      throw UsageError("--curl, --json and --body exclude each other")
    }
    if words.count == 1, words[0].hasSuffix(".json"), access(words[0], F_OK) == 0,
      !ForeignFile.isFolder(words[0]), try printFile(words[0], arguments)
    {
      return .good
    }
    let cassette = try CassettePath.load(words[0])
    let interactions =
      words.count > 1
      ? try CassettePath.interactions(of: cassette, named: words[1]) : cassette.interactions
    if arguments.has(.curl) {
      for stored in interactions { Terminal.out(stored.interaction.curlLine(of: cassette) + "\n") }
    } else if arguments.has(.json) {
      let trees = try interactions.map { stored -> JSONValue in
        .object([JSONMember("file", JSONValue(stored.fileName))] + (try stored.tree().members ?? []))
      }
      // An interaction that is named is an object, not a list of one.
      Terminal.out(json: words.count > 1 && trees.count == 1 ? trees[0] : .array(trees))
    } else if arguments.has(.body) {
      try printBody(interactions)
    } else {
      let texts = interactions.map {
        Printable.line($0.fileName).painted(.bold) + "\n" + $0.interaction.text()
      }
      Terminal.out(texts.joined(separator: "\n"))
    }
    return .good
  }

  private static func printBody(_ interactions: [StoredInteraction]) throws {
    guard interactions.count == 1 else {
      let names = interactions.prefix(10).map(\.fileName) + (interactions.count > 10 ? ["…"] : [])
      throw UsageError("--body shows one body; name one of \(names.joined(separator: ", "))")
    }
    switch interactions[0].interaction.response.body {
    case .bytes(let bytes): Terminal.out(bytes)
    case .file(let file):
      let reader = try file.open()
      var offset = 0
      while offset < file.size {
        let piece = try reader.bytes(at: offset, count: 1 << 18)
        guard !piece.isEmpty else { throw Failure("\(file.name) ends after \(offset) of \(file.size) bytes") }
        Terminal.out(piece)
        offset += piece.count
      }
    }
  }

  /// Shows a file by itself. git fails when a text converter does, so a file that is not an interaction is shown as it is.
  /// - Returns: false if it is a recording of another tool, to be shown like a cassette.
  private static func printFile(_ file: String, _ arguments: Arguments) throws -> Bool {
    do {
      let interaction = try Interaction(contentsOf: file)
      Terminal.out(
        arguments.has(.curl) ? interaction.curlLine(of: nil) + "\n" : interaction.text(hidesVolatile: true))
    } catch {
      if (try? Cassette.open(file)) != nil { return false }
      if file.split(separator: "/").last != "cassette.json" {
        Terminal.say("warning: shown as it is: \(error)")
      }
      Terminal.out(Printable.lines(String(decoding: try [UInt8](contentsOf: file), as: UTF8.self)))
    }
    return true
  }
}

extension Interaction {
  /// A command that sends the request to the origin again, which is the request's `Host` if no cassette names it.
  func curlLine(of cassette: Cassette?) -> String {
    let base =
      origin.map { "\($0)" } ?? cassette?.upstream
      ?? "http://\(request.fields.text("host") ?? "127.0.0.1:8080")"
    let file = cassette.flatMap { cassette in largeRequestBody.map { "\(cassette.path)/\($0.name)" } }
    return CurlCommand(request, base: base, bodyFile: file).text
  }

  /// For people: JSON is indented, and binary bodies are shown as their size.
  /// - Parameter hidesVolatile: leaves out what differs between two recordings of the same exchange.
  fileprivate func text(hidesVolatile: Bool = false) -> String {
    var text = "\(">".painted(.dim)) \(request.method.rawValue.painted(.bold)) "
    text += "\(Printable.line(request.shownTarget))\n" + Self.text(request.fields, ">")
    text += Self.text(requestBody, request.fields) + Self.text(request.trailers, ">")
    for head in response.interim + [response.head] {
      let reason = head.reason.isEmpty ? "" : " " + Printable.line(head.reason)
      text += "\("<".painted(.dim)) \("\(head.status)".painted(.ofStatus(head.status)))\(reason)\n"
      text += Self.text(head.fields.filter { !hidesVolatile || !$0.isNamed("date") }, "<")
    }
    text += Self.text(response.body, response.head.fields)
    if let webSocket = response.webSocket { text += webSocket.text(hidesVolatile: hidesVolatile) }
    if response.isCutByClient { text += "(cut here: the client left)".painted(.dim) + "\n" }
    return text + Self.text(response.trailers.filter { !hidesVolatile || !$0.isNamed("date") }, "<")
  }

  private static func text(_ fields: some Sequence<HTTPField>, _ mark: String) -> String {
    fields.map { field in
      let value = field.value.isEmpty ? "" : " " + Printable.line(field.value)
      return "\(mark.painted(.dim)) \(Printable.line(field.name).painted(.cyan)):\(value)\n"
    }.joined()
  }

  private static func text(_ body: RecordedBody, _ fields: HTTPFields) -> String {
    guard let opened = body.opened(fields) else { return text(body) }
    return "(\(HumanText.size(body.count)) of \(opened.coding), decoded)".painted(.dim) + "\n"
      + text(.bytes(opened.content))
  }

  private static func text(_ body: RecordedBody) -> String {
    switch body {
    case .bytes([]): return ""
    case .file(let file): return "(\(HumanText.size(file.size)) in \(file.name))\n"
    case .bytes(let bytes):
      guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
        return "(\(HumanText.size(bytes.count)) of binary data)\n"
      }
      if let json = try? JSONValue(parsing: bytes) {
        return Printable.lines(String(decoding: json.bytes(.pretty), as: UTF8.self))
      }
      let shown = Printable.lines(text)
      return shown.hasSuffix("\n") ? shown : shown + "\n"
    }
  }
}
