internal import TapedeckHTTP

extension OverridesSchema {
  static var fault: JSONValue {
    let kinds = faultKinds
    var known: Set<String> = []
    let members = kinds.flatMap(\.members).filter { known.insert($0.name.text).inserted }
    let type = member("type", ["enum": .array(kinds.map { JSONValue($0.name) })])
    return object(
      identity + condition("Any where it is missing.") + usage("toxicity") + [type] + members,
      [
        "required": ["path", "type"],
        "oneOf": .array(
          kinds.map { kind in faultKind(kind.name, kind.members, wants: kind.wants, of: members) }),
      ])
  }

  /// What is told of the members is told of all kinds; a kind says which it has, and which it needs.
  private static func faultKind(
    _ name: String, _ own: [JSONMember], wants: [String], of members: [JSONMember]
  ) -> JSONValue {
    let names = own.map(\.name.text)
    let others = members.filter { !names.contains($0.name.text) }.map { JSONMember($0.name, false) }
    return [
      "properties": .object([member("type", ["const": JSONValue(name)])] + others),
      "required": .array((["type"] + wants).map { JSONValue($0) }),
    ]
  }

  private static var faultKinds: [(name: String, members: [JSONMember], wants: [String])] {
    let day = 86_400_000
    let timeout = member("timeout", described("Milliseconds.", whole(0, day)))
    let delay = member(
      "delay", described("Milliseconds, or of a slicer microseconds after each slice.", whole(0, day)))
    return [
      (
        "latency",
        [
          member("latency", described("Milliseconds.", whole(0, day))),
          member("jitter", described("Milliseconds, more or less.", whole(0, day))),
        ], ["latency"]
      ),
      (
        "bandwidth", [member("rate", described("Thousands of bytes a second.", whole(1, 1_000_000_000)))],
        ["rate"]
      ),
      ("slow_close", [delay], ["delay"]),
      ("timeout", [timeout], []), ("reset_peer", [timeout], []),
      (
        "slicer",
        [
          member("average_size", described("Bytes.", whole(1, 1_000_000_000))),
          member("size_variation", described("Bytes, less than average_size.", whole(0, 1_000_000_000))),
          delay,
        ], ["average_size"]
      ),
      ("limit_data", [member("bytes", described("Of the body.", whole(0)))], ["bytes"]),
      ("empty_response", [], []), ("malformed_response_chunk", [], []), ("random_data_then_close", [], []),
    ]
  }
}
