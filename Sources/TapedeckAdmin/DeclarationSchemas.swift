internal import TapedeckHTTP
import TapedeckOverrides
internal import TapedeckProxy

/// The shapes of rules, taken from the schema of overrides files.
///
/// Whoever steers a proxy from afar names no files of its machine, so `file` is missing here.
enum DeclarationSchemas {
  static let components: [(String, JSONValue)] =
    (OverridesSchema.document["$defs"]?.members ?? []).map { ($0.name.text, adapted($0.value)) }
    + OverrideKind.allCases.map { ("\($0.word.capitalizedWord)Declaration", AdminSchemas.reference($0.word)) }
    + [("ExpectedRequest", expectedRequest)]

  private static func adapted(_ schema: JSONValue) -> JSONValue {
    switch schema {
    case .object(let members):
      return .object(
        members.map { member in
          if member.name.text == "$ref", let text = member.value.text {
            return JSONMember(
              member.name, JSONValue("#/components/schemas/" + text.split(separator: "/").suffix(1).joined()))
          }
          guard member.name.text == "properties", let properties = member.value.members else {
            return JSONMember(member.name, adapted(member.value))
          }
          let kept = properties.filter { $0.name.text != "file" }
          return JSONMember(member.name, .object(kept.map { JSONMember($0.name, adapted($0.value)) }))
        })
    case .array(let items): return .array(items.map(adapted))
    default: return schema
    }
  }

  private static var expectedRequest: JSONValue {
    let count: JSONValue = ["type": "integer", "minimum": 0, "maximum": 2_147_483_647]
    return AdminSchemas.object(
      [
        ("method", AdminSchemas.reference("method")), ("path", AdminSchemas.reference("path")),
        ("when", AdminSchemas.reference("when")),
        ("status", ["type": "integer", "minimum": 100, "maximum": 999]),
        ("source", AdminSchemas.oneOf(ServedResponse.Source.allCases.map(\.rawValue))),
        (
          "times",
          [
            "oneOf": [
              count, AdminSchemas.object([("atLeast", count)]), AdminSchemas.object([("atMost", count)]),
            ]
          ]
        ),
      ], required: ["path"])
  }
}
