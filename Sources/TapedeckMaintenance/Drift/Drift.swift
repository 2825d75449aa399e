/// One way in which a response no longer has the shape that was recorded.
package struct Drift: Sendable, Equatable {
  /// What changed, by a word that does not change: reports are read by programs.
  package enum Kind: String, Sendable, CaseIterable {
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

  /// How much a change of an API matters to those who use it.
  package enum Severity: String, Sendable, CaseIterable, Comparable {
    /// Worth knowing: a client that reads what it was built to read goes on.
    case info
    /// May break a client that relied on more than it should have.
    case notable
    /// Breaks a client that reads what was there.
    case breaking

    package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  package var kind: Kind
  package var severity: Severity
  /// `status`, `header "Content-Type"`, `body`, or a place in a JSON body like `$.items[*].id`.
  package var place: String
  /// What was recorded; nil when it was not there.
  package var recorded: String?
  /// What came now; nil when it is not there any more.
  package var live: String?

  init(_ kind: Kind, _ severity: Severity, at place: String, recorded: String?, live: String?) {
    self.kind = kind
    self.severity = severity
    self.place = place
    self.recorded = recorded
    self.live = live
  }
}

extension Drift: CustomStringConvertible {
  /// As in `$.id: integer → string`, `$.name: field removed, was string`.
  package var description: String {
    let what = kind.rawValue.split(separator: "-").joined(separator: " ")
    switch (recorded, live) {
    case (let recorded?, let live?): return "\(place): \(recorded) → \(live)"
    case (let recorded?, nil): return "\(place): \(what), was \(recorded)"
    case (nil, let live?): return "\(place): \(what), is \(live)"
    case (nil, nil): return "\(place): \(what)"
    }
  }
}
