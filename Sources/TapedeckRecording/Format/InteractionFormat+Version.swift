package import TapedeckHTTP

extension InteractionFormat {
  /// The members that format version 2 adds, each in the object it stands in.
  private static let version2Members: [(object: String, member: String)] = [
    ("response", "interim"), ("response", "cut"),
    ("volatile", "\(requestFields)"), ("volatile", "\(responseFields)"),
  ]

  /// The lowest format version that has every member of an interaction: older programs refuse a cassette by the
  /// number in its manifest instead of misreading it.
  package static func version(of tree: JSONValue) -> Int {
    let isNewer = version2Members.contains { tree[$0.object]?[$0.member] != nil }
    return isNewer || !isPlain(tree["request"]?["target"]) ? 2 : 1
  }

  /// Whether version 1 has such a target: visible ASCII, which all were until other bytes were passed on too.
  private static func isPlain(_ target: JSONValue?) -> Bool {
    guard case .string(let string)? = target else { return false }
    return string.decodedBytes.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
