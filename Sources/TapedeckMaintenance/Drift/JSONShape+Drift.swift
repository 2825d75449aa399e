import TapedeckRecording

extension JSONShape {
  /// What differs in another shape, by place.
  func drifts(to live: JSONShape) -> [Drift] {
    var comparison = ShapeComparison()
    comparison.compare(self, live, at: "$")
    return comparison.drifts
  }
}

private struct ShapeComparison {
  private(set) var drifts: [Drift] = []

  mutating func compare(_ recorded: JSONShape, _ live: JSONShape, at place: String) {
    if recorded.hasRedacted { return }
    compareKinds(recorded, live, at: place)
    if let old = recorded.format, let new = live.format, old != new, old != .text {
      drifts.append(
        Drift(.formatChanged, .notable, at: place, recorded: old.rawValue, live: new.rawValue))
    }
    if let old = recorded.items, let new = live.items {
      compare(old, new, at: "\(place)[*]")
    }
    if recorded.objects > 0, live.objects > 0 { compareMembers(recorded, live, at: place) }
  }

  /// A new type is a change; one that is absent today is not, unless all old ones are.
  private mutating func compareKinds(_ recorded: JSONShape, _ live: JSONShape, at place: String) {
    let known = Self.widened(recorded.kinds)
    let new = live.kinds.subtracting(known)
    guard !new.isEmpty else { return }
    // Nothing was known of a value that was always null.
    if recorded.kinds == [.null] {
      return append(.typeChanged, .info, at: place, recorded, live)
    }
    if new == [.null] { return append(.becameNull, .notable, at: place, recorded, live) }
    if new.subtracting([.null]) == [.number], known.contains(.integer) {
      return append(.typeChanged, .notable, at: place, recorded, live)
    }
    append(.typeChanged, .breaking, at: place, recorded, live)
  }

  /// The types that a reader of the recorded ones accepts too: whole numbers as numbers, and a map as an object.
  private static func widened(_ kinds: Set<JSONShape.Kind>) -> Set<JSONShape.Kind> {
    var kinds = kinds
    if kinds.contains(.number) { kinds.insert(.integer) }
    if kinds.contains(.map) || kinds.contains(.object) { kinds.formUnion([.map, .object]) }
    return kinds
  }

  private mutating func append(
    _ kind: Drift.Kind, _ severity: Drift.Severity, at place: String, _ recorded: JSONShape, _ live: JSONShape
  ) {
    drifts.append(Drift(kind, severity, at: place, recorded: recorded.text, live: live.text))
  }

  private mutating func compareMembers(_ recorded: JSONShape, _ live: JSONShape, at place: String) {
    let names = Set(recorded.members.keys).union(live.members.keys)
    for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      let path = place + JSONComparison.step(name)
      switch (recorded.members[name], live.members[name]) {
      case (let old?, let new?): compareMember(recorded.isAlways(old), old, live.isAlways(new), new, at: path)
      case (let old?, nil): removed(old, wasAlways: recorded.isAlways(old), at: path)
      case (nil, let new?):
        drifts.append(Drift(.fieldAdded, .info, at: path, recorded: nil, live: new.shape.text))
      case (nil, nil): break
      }
    }
  }

  private mutating func compareMember(
    _ wasAlways: Bool, _ old: JSONShape.Member, _ isAlways: Bool, _ new: JSONShape.Member, at path: String
  ) {
    if wasAlways, !isAlways {
      drifts.append(
        Drift(.fieldSometimesAbsent, .notable, at: path, recorded: "always there", live: "sometimes absent"))
    }
    compare(old.shape, new.shape, at: path)
  }

  /// A member that was optional may be absent without anything having changed.
  private mutating func removed(_ member: JSONShape.Member, wasAlways: Bool, at path: String) {
    drifts.append(
      Drift(
        .fieldRemoved, wasAlways ? .breaking : .info, at: path, recorded: member.shape.text, live: nil))
  }
}
