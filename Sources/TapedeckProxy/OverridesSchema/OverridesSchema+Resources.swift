internal import TapedeckHTTP
internal import TapedeckMocking

extension OverridesSchema {
  private static let text: JSONValue = ["type": "string"]
  private static let texts: JSONValue = ["type": "array", "items": ["type": "string"]]
  private static let anyObject: JSONValue = ["type": "object"]

  static var resource: JSONValue {
    object(
      identity + [
        member(
          "path",
          described("Of the collection; a hole is a member of all objects behind it.", reference("path"))),
        member("name", described("Of one object; in JSON:API the type.", text)),
        member("as", described("The look; rest where it is missing.", words(DocumentDeclaration.Look.self))),
        member("idMember", described("id where it is missing.", text)),
        member(
          "ids",
          described(
            "Of new objects; like those of the seeds where it is missing.", words(DocumentIDKind.self))),
        member(
          "nextIDs",
          described(
            "Of the first new objects.", ["type": "array", "items": ["type": ["string", "integer"]]])),
        member("seed", described("The objects it begins with.", seed)),
        member("defaults", described("What new objects have that do not say otherwise.", anyObject)),
        member("required", described("Members without which nothing is kept.", texts)),
        member("hidden", described("Members that are never shown.", texts)),
        member(
          "newest",
          described("Where new objects stand; last where it is missing.", ["enum": ["first", "last"]])),
        member("within", described("The list in another resource's objects that these are in.", within)),
        member("lists", described("Other paths that give the list.", texts)),
        member("only", actions), member("except", actions),
        member("passes", described("Query items with which a request goes on to the cassette.", texts)),
        member("pages", pages), member("envelope", envelope),
        member("put", described("replace where it is missing.", ["enum": ["replace", "merge"]])),
        member("answers", answers),
      ], ["required": ["path"]])
  }

  private static func words<Word: RawRepresentable<String> & CaseIterable>(_ type: Word.Type) -> JSONValue {
    ["enum": .array(Word.allCases.map { JSONValue($0.rawValue) })]
  }

  private static var actions: JSONValue {
    ["type": "array", "items": ["enum": ["index", "show", "create", "update", "delete"]]]
  }

  private static var within: JSONValue {
    object([member("resource", text), member("member", text)], ["required": ["resource", "member"]])
  }

  private static var seed: JSONValue {
    let objects: JSONValue = ["type": "array", "items": anyObject]
    let members = [
      member("data", objects),
      member("file", described("JSON: a list of objects, beneath the folder of this one.", text)),
      member("count", whole(0, 100_000)),
      member("fields", described("Members, and what they are made up of.", anyObject)),
      member("randomSeed", whole(0)),
      member("cassette", text), member("recording", described("The file of a list in the cassette.", text)),
    ]
    return ["oneOf": [objects, object(members, [:])]]
  }

  private static var pages: JSONValue {
    object(
      [
        member("number", described("Which page; page where it is missing.", text)),
        member("size", described("How large; per_page where it is missing.", text)),
        member("offset", described("How many to leave out.", text)),
        member("standardSize", whole(1, 1_000_000)),
        member("always", described("Whether all lists are pages.", ["type": "boolean"])),
      ], [:])
  }

  private static var envelope: JSONValue {
    let template: JSONValue = ["type": ["string", "object"]]
    return object(
      [
        member("list", described("A member's name, or an object with \"{{items}}\" in it.", template)),
        member("item", described("A member's name, or an object with \"{{item}}\" in it.", template)),
      ], [:])
  }

  private static var answers: JSONValue {
    let answer = object([member("status", whole(200, 599)), member("body", true)], [:])
    return object(["create", "update", "delete", "missing"].map { member($0, answer) }, [:])
  }
}
