internal import TapedeckHTTP

extension OverridesSchema {
  static var fault: JSONValue {
    .object([
      member("type", "object"), member("required", ["path", "type"]),
      member("oneOf", .array(faultKinds.map { faultKind($0.name, $0.members, wants: $0.wants) })),
    ])
  }

  private static func faultKind(_ name: String, _ members: [JSONMember], wants: [String]) -> JSONValue {
    object(
      identity + condition("Any where it is missing.") + usage("toxicity")
        + [member("type", ["const": JSONValue(name)])] + members,
      wants.isEmpty ? [:] : ["required": .array(wants.map { JSONValue($0) })])
  }

  private static var faultKinds: [(name: String, members: [JSONMember], wants: [String])] {
    let day = 86_400_000
    let timeout = member("timeout", described("Milliseconds.", whole(0, day)))
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
      ("slow_close", [member("delay", described("Milliseconds.", whole(0, day)))], ["delay"]),
      ("timeout", [timeout], []), ("reset_peer", [timeout], []),
      (
        "slicer",
        [
          member("average_size", described("Bytes.", whole(1, 1_000_000_000))),
          member("size_variation", described("Bytes, less than average_size.", whole(0, 1_000_000_000))),
          member("delay", described("Microseconds after each slice.", whole(0, day))),
        ], ["average_size"]
      ),
      ("limit_data", [member("bytes", described("Of the body.", whole(0)))], ["bytes"]),
      ("empty_response", [], []), ("malformed_response_chunk", [], []), ("random_data_then_close", [], []),
    ]
  }
}
