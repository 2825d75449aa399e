internal import TapedeckHTTP

extension OverridesSchema {
  private struct Effect {
    var type: String
    var needed: [String] = []
    var optional: [String] = []
  }

  private static let effects = [
    Effect(type: "latency", needed: ["latency"], optional: ["jitter"]),
    Effect(type: "bandwidth", needed: ["rate"]), Effect(type: "slow_close", needed: ["delay"]),
    Effect(type: "timeout", optional: ["timeout"]), Effect(type: "reset_peer", optional: ["timeout"]),
    Effect(type: "slicer", needed: ["average_size"], optional: ["size_variation", "delay"]),
    Effect(type: "limit_data", needed: ["bytes"]), Effect(type: "empty_response"),
    Effect(type: "malformed_response_chunk"), Effect(type: "random_data_then_close"),
  ]

  private static var effectMembers: [JSONMember] {
    let day = 86_400_000
    return [
      member(
        "type",
        described(
          "In Toxiproxy's words; sizes are those of the body, times milliseconds.",
          ["enum": .array(effects.map { JSONValue($0.type) })])),
      member("latency", whole(0, day)),
      member("jitter", described("More or less than latency.", whole(0, day))),
      member("rate", described("Thousand bytes a second.", whole(1, 1_000_000_000))),
      member(
        "delay", described("Milliseconds before the end (slow_close); microseconds (slicer).", whole(0, day))),
      member("timeout", whole(0, day)), member("average_size", whole(1, 1_000_000_000)),
      member("size_variation", whole(0, 1_000_000_000)), member("bytes", whole(0)),
    ]
  }

  /// Which members go with which type.
  private static var effectRules: JSONValue {
    let all = effectMembers.dropFirst().map(\.name.text)
    return .array(
      effects.map { effect in
        let unfit = all.filter { !effect.needed.contains($0) && !effect.optional.contains($0) }
        return [
          "if": ["properties": ["type": ["const": JSONValue(effect.type)]]],
          "then": [
            "required": .array(effect.needed.map { JSONValue($0) }),
            "properties": .object(unfit.map { member($0, false) }),
          ],
        ]
      })
  }

  /// A fault in another rule: its members, or its type alone where that is all.
  static var effect: JSONValue {
    let alone = effects.filter(\.needed.isEmpty).map { JSONValue($0.type) }
    return [
      "oneOf": [
        ["enum": .array(alone)], object(effectMembers, ["required": ["type"], "allOf": effectRules]),
      ]
    ]
  }

  static var fault: JSONValue {
    object(
      identity + condition("Any where it is missing.") + usage("toxicity") + effectMembers,
      ["required": ["path", "type"], "allOf": effectRules])
  }
}
