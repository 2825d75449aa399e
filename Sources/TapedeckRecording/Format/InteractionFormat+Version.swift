import TapedeckHTTP

extension InteractionFormat {
  /// The members that format version 2 adds, each in the object it stands in.
  private static let version2Members: [(object: String, member: String)] = []

  /// The lowest format version that has every member of an interaction: older programs refuse a cassette by the
  /// number in its manifest instead of misreading it.
  static func version(of tree: JSONValue) -> Int {
    let isNewer = version2Members.contains { tree[$0.object]?[$0.member] != nil }
    return isNewer ? 2 : 1
  }
}
