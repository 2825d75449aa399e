internal import TapedeckHTTP
import TapedeckOverrides

extension ManualPage {
  /// tapedeck-overrides(5), from the schema.
  static var overrides: ManualPage {
    let schema = Overrides.schema
    let kinds = OverrideKind.allCases.map { kind in
      Part(heading: kind.rawValue, blocks: members(of: kind.word, in: schema))
    }
    return ManualPage(
      name: "tapedeck-overrides", section: 5, summary: "rules that come before recordings and the origin",
      parts: [
        Part(
          heading: "Description",
          blocks: [
            .paragraph(
              "A JSON file for the option --overrides of tapedeck-serve(1), reloaded when it changes: an object of lists "
                + "of rules. tapedeck lint FILE checks it, and tapedeck schema overrides prints its JSON schema."
            )
          ]
            + OverrideKind.allCases.map {
              .item($0.rawValue, schema["properties"]?[$0.rawValue]?["description"]?.text ?? "")
            })
      ] + kinds + [
        Part(
          heading: "Examples",
          blocks: [
            .literal([
              #"{"routes": [{"path": "/users/{id}", "status": 503, "json": {"error": "maintenance"}}],"#,
              #" "patches": [{"path": "/users", "on": 2, "status": 429}],"#,
              #" "faults": [{"path": "/slow", "type": "latency", "latency": 2000}]}"#,
            ])
          ]),
        Part(
          heading: "See also", blocks: [.paragraph("tapedeck-serve(1), tapedeck-lint(1), tapedeck-schema(1)")]
        ),
      ])
  }

  private static func members(of kind: String, in schema: JSONValue) -> [Block] {
    let properties = schema["$defs"]?[kind]?["properties"]?.members ?? []
    return properties.map { member in
      .item(member.name.text, description(of: member.value, in: schema) ?? values(of: member.value))
    }
  }

  private static func description(of property: JSONValue, in schema: JSONValue) -> String? {
    if let text = property["description"]?.text { return text }
    guard let name = property["$ref"]?.text?.split(separator: "/").last else { return nil }
    return schema["$defs"]?[String(name)]?["description"]?.text
  }

  /// The words that a member without a description takes.
  private static func values(of property: JSONValue) -> String {
    guard let words = property["enum"]?.array else {
      return property["type"]?.text.map { "A value of type \($0)." } ?? ""
    }
    return "One of \(words.map { $0.text ?? "\($0)" }.joined(separator: ", "))."
  }

  /// tapedeck-cassette(5).
  static var cassette: ManualPage {
    ManualPage(
      name: "tapedeck-cassette", section: 5, summary: "a folder of recorded HTTP interactions",
      parts: [
        Part(
          heading: "Description",
          blocks: [
            .paragraph(
              "A cassette is a folder of JSON files that people review in git and edit by hand. The name NAME stands for "
                + "Cassettes/NAME in the current folder; anything with a slash is a path."),
            .paragraph(
              "Members whose names begin with _ or x- are yours; any other unknown member is an error."),
          ]),
        Part(
          heading: "Files",
          blocks: [
            .item(
              "cassette.json", "The version of the format, the origins, and the rules that replay needs."),
            .item(
              "get-users-octocat-3f9a1c.json",
              "One interaction: its request, its response, and what changes with each recording."),
            .item("get-users-octocat-3f9a1c.2.json", "The second response to the same request."),
            .item("api.example.com/", "The interactions with a host, in a cassette of several origins."),
            .item("bodies/", "Large or binary bodies, named after their content."),
            .item("journal.jsonl", "Exchanges not yet sealed: only while recording, or after a crash."),
          ]),
        Part(
          heading: "cassette.json",
          blocks: [
            .item("tapedeck", "The version of the format, 1 or 2. A newer one is refused."),
            .item("upstream, origins", "The origin that was recorded, or those of several."),
            .item("upstreams, forward", "How clients reach several origins."),
            .item("match", "What is compared, in the words of --match."),
            .item("redaction", "What is redacted: key, redact and keep; false if nothing is."),
            .item("rewrite", "What is rewritten for clients: fields and bodies; false if nothing is."),
          ]),
        Part(
          heading: "See also", blocks: [.paragraph("tapedeck-record(1), tapedeck-show(1), tapedeck-lint(1)")]),
      ])
  }
}
