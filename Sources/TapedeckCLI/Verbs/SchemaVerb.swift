internal import TapedeckHTTP
import TapedeckOverrides
internal import TapedeckProxy

extension Verb {
  static let schema = Verb(
    name: "schema", group: .more, summary: "print the JSON schema of overrides files",
    synopsis: "overrides", examples: ["tapedeck schema overrides > overrides.schema.json"],
    notes: """
      Editors that know JSON schemas complete and check a file that names it: {"$schema": "./overrides.schema.json", …}.
      tapedeck lint FILE checks a file without an editor, and sees more.
      """
  ) { arguments in
    let word = try arguments.words("name of the schema", required: 0).first ?? "overrides"
    guard word == "overrides" else {
      throw UsageError("there is no schema of \(word.debugDescription); the one there is is overrides")
    }
    Terminal.out(json: OverridesSchema.document)
    return .good
  }
}
