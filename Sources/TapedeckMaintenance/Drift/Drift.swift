/// One way in which an API's answer is no longer of the shape that was recorded.
public struct Drift: Sendable, Equatable {
  /// What changed, by a word that does not change: reports are read by programs.
  public enum Kind: String, Sendable, CaseIterable {
    case statusChanged = "status-changed"
    case contentTypeChanged = "content-type-changed"
    case headerAdded = "header-added"
    case headerRemoved = "header-removed"
    case bodyChanged = "body-changed"
    case fieldAdded = "field-added"
    case fieldRemoved = "field-removed"
    case fieldSometimesAbsent = "field-sometimes-absent"
    case typeChanged = "type-changed"
    case becameNull = "became-null"
    case formatChanged = "format-changed"
  }

  public var kind: Kind
  public var severity: DriftSeverity
  /// `status`, `header "Content-Type"`, `body`, or a place in a JSON body like `$.items[*].id`.
  public var place: String
  /// What was recorded; nil when it was not there.
  public var recorded: String?
  /// What came now; nil when it is not there any more.
  public var live: String?

  init(_ kind: Kind, _ severity: DriftSeverity, at place: String, recorded: String?, live: String?) {
    self.kind = kind
    self.severity = severity
    self.place = place
    self.recorded = recorded
    self.live = live
  }
}

extension Drift: CustomStringConvertible {
  /// As in `$.id: integer → string`, `$.name: field removed, was string`.
  public var description: String {
    let what = kind.rawValue.split(separator: "-").joined(separator: " ")
    switch (recorded, live) {
    case (let recorded?, let live?): return "\(place): \(recorded) → \(live)"
    case (let recorded?, nil): return "\(place): \(what), was \(recorded)"
    case (nil, let live?): return "\(place): \(what), is \(live)"
    case (nil, nil): return "\(place): \(what)"
    }
  }
}
