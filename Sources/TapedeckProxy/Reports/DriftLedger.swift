internal import Synchronization
internal import TapedeckRecording

/// Where the requests of a run differed from what was recorded, though they matched. Places in arrays count as one, so
/// that there are few.
final class DriftLedger: Sendable {
  private let places = GroupLedger<DriftedField>()
  private let drifted = Mutex<[String: Int]>([:])

  func add(_ differences: [RequestDifference], file: String) {
    drifted.withLock { $0[file, default: 0] += 1 }
    var seen: Set<String> = []
    for difference in differences where seen.insert(difference.place).inserted {
      places.add([difference.place]) {
        DriftedField(
          field: difference.place, count: 1, recorded: difference.recorded, received: difference.received)
      }
    }
  }

  /// The most frequent first, and how often others than these differed.
  var fields: (listed: [DriftedField], others: Int) {
    let (listed, others) = places.groups
    return (listed.sorted { ($1.count, $0.field) < ($0.count, $1.field) }, others)
  }

  /// How many of the requests that were replayed drifted, by the file they got.
  var files: [String: Int] { drifted.withLock { $0 } }
}

/// A place where requests differed from their recordings without a difference to the rules.
public struct DriftedField: CountedGroup, Sendable, Equatable {
  /// As in `query "ts"`, `$.items[*].nonce`, `body`.
  public var field: String
  /// In how many requests.
  public var count: Int
  /// As an example, the first of them; `nil` where it was not there.
  public var recorded: String?
  public var received: String?
}

extension RequestDifference {
  /// The field without numbers of places.
  var place: String {
    if field.hasPrefix("$"), let word = ignoredBy { return String(word.dropFirst("body:ignore=".count)) }
    return field.hasPrefix("body from byte") ? "body" : field
  }
}
