package import TapedeckHTTP
import TapedeckRecording

extension CassetteComparison {
  /// For programs.
  package var json: JSONValue {
    [
      "rules": .array(rules.map(Self.json)), "changes": .array(changes.map(Self.json)),
      "equal": JSONValue(equalCount),
    ]
  }

  private static func json(_ change: Change) -> JSONValue {
    [
      "change": change.old == nil ? "added" : change.new == nil ? "removed" : "changed",
      "method": JSONValue(change.request?.method.rawValue ?? ""),
      "target": JSONValue(change.request?.targetText ?? ""),
      "oldFile": JSONValue(change.old?.fileName), "newFile": JSONValue(change.new?.fileName),
      "differences": .array(change.differences.map(json)),
    ]
  }

  private static func json(_ difference: RequestDifference) -> JSONValue {
    [
      "field": JSONValue(difference.field), "old": JSONValue(difference.recorded),
      "new": JSONValue(difference.received),
    ]
  }
}
