internal import TapedeckProxy

extension Verb {
  static let record = Verb(
    name: "record", aliases: ["capture"], group: .proxy,
    summary: "pass requests to the origin and record every exchange",
    synopsis: "CASSETTE --upstream URL [options]",
    options: [.cassette] + Option.origin + Option.serving,
    examples: [
      "tapedeck record example --upstream https://api.example.com",
      "tapedeck record example --upstream URL --match 'query:ignore=ts,body:ignore=$.nonce,$.sentAt'",
    ], notes: matching
  ) { try ServedProxy.run(try ServeSettings(.record, $0)) }

  static let replay = Verb(
    name: "replay", aliases: ["simulate"], group: .proxy,
    summary: "serve recorded responses offline; the origin is never contacted",
    synopsis: "CASSETTE [options]",
    options: [.cassette, .follow, .onExhausted, .pace, .onCut] + Option.serving,
    examples: [
      "tapedeck replay example --port 8080",
      "tapedeck replay example --strict --report-junit results.xml",
    ], notes: matching
  ) { try ServedProxy.run(try ServeSettings(.replay, $0)) }

  static let serve = Verb(
    name: "serve", aliases: ["spy", "mimic"], group: .proxy,
    summary: "replay what is recorded, record what is not",
    synopsis: "[CASSETTE] [--upstream URL] [--mode MODE] [--overrides FILE] [options]",
    options: [.cassette, .follow, .mode, .onExhausted, .pace, .onCut] + Option.origin + Option.serving,
    examples: [
      "tapedeck serve example --upstream https://api.example.com",
      "tapedeck serve example --overrides down.json",
    ], notes: matching
  ) { try ServedProxy.run(try ServeSettings(.serve, $0)) }
}

extension Verb {
  private static let matching = """
    --match lists what is compared: method, path, query, body, host, headers:NAME,NAME. query:ignore=NAME,NAME and
    body:ignore=PATH,PATH leave out parameters, places in JSON such as $.nonce, or fields of forms. Bodies are parsed
    by their content type, or as body:json, body:form, body:multipart or body:bytes says. A list with method, path,
    query or body is all that is compared; any other list is added to the rules of the cassette. The cassette stores
    the rules.
    """
}
