/// A difference between the shape of a live response and the recorded shape.
package struct Drift: Sendable, Equatable {
  /// The kind of a change, by its name in JSON reports.
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
    case messageAdded = "message-added"
    case messageRemoved = "message-removed"
    case closeChanged = "close-changed"
  }

  /// The effect of a change on clients of the API.
  package enum Severity: String, Sendable, CaseIterable, Comparable {
    /// Does not break clients.
    case info
    /// May break clients that make unsafe assumptions.
    case notable
    /// Breaks clients that use the changed part.
    case breaking

    package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

    private var rank: Int { Self.allCases.firstIndex(of: self) ?? 0 }
  }

  package var kind: Kind
  package var severity: Severity
  /// `status`, `header "Content-Type"`, `body`, or a place in a JSON body like `$.items[*].id`; of a WebSocket `close`,
  /// `message "tick"`, or a place in such messages like `message "tick" $.price`.
  package var place: String
  /// The recorded value; `nil` if it was absent.
  package var recorded: String?
  /// The live value; `nil` if it is absent.
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
