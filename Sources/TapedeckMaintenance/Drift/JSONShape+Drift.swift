import TapedeckRecording

extension JSONShape {
  /// The differences between this shape and another, by place.
  func drifts(to live: JSONShape, at place: String = "$") -> [Drift] {
    if hasRedacted { return [] }
    var drifts: [Drift] = []
    if let (kind, severity) = kindDrift(to: live) {
      drifts.append(Drift(kind, severity, at: place, recorded: text, live: live.text))
    }
    if let old = format, let new = live.format, old != new, old != .text {
      drifts.append(
        Drift(.formatChanged, .notable, at: place, recorded: old.rawValue, live: new.rawValue))
    }
    if let old = items, let new = live.items { drifts += old.drifts(to: new, at: "\(place)[*]") }
    if objects > 0, live.objects > 0 { drifts += memberDrifts(to: live, at: place) }
    return drifts
  }

  /// A new type is a change. The absence of an old one is not, unless all are absent.
  private func kindDrift(to live: JSONShape) -> (Drift.Kind, Drift.Severity)? {
    // A reader of the recorded types accepts whole numbers as numbers, and a map as an object.
    var known = kinds
    if known.contains(.number) { known.insert(.integer) }
    if known.contains(.map) || known.contains(.object) { known.formUnion([.map, .object]) }
    let new = live.kinds.subtracting(known)
    if new.isEmpty { return nil }
    // The type of a value that was always null is unknown.
    if kinds == [.null] { return (.typeChanged, .info) }
    if new == [.null] { return (.becameNull, .notable) }
    let isWider = new.subtracting([.null]) == [.number] && known.contains(.integer)
    return (.typeChanged, isWider ? .notable : .breaking)
  }

  private func memberDrifts(to live: JSONShape, at place: String) -> [Drift] {
    let names = Set(members.keys).union(live.members.keys)
    return names.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { name -> [Drift] in
      let path = place + JSONComparison.step(name)
      switch (members[name], live.members[name]) {
      case (let old?, let new?):
        let isRarer = isAlways(old) && !live.isAlways(new)
        let absence = Drift(
          .fieldSometimesAbsent, .notable, at: path, recorded: "always there", live: "sometimes absent")
        return (isRarer ? [absence] : []) + old.shape.drifts(to: new.shape, at: path)
      case (let old?, nil):
        // The absence of an optional member is not a change.
        let severity: Drift.Severity = isAlways(old) ? .breaking : .info
        return [Drift(.fieldRemoved, severity, at: path, recorded: old.shape.text, live: nil)]
      case (nil, let new?): return [Drift(.fieldAdded, .info, at: path, recorded: nil, live: new.shape.text)]
      case (nil, nil): return []
      }
    }
  }
}
