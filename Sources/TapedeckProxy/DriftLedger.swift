internal import Synchronization
internal import TapedeckRecording

/// Where the requests of a run differed from what was recorded, though they matched. Places in arrays count as one, so
/// that there are few; of more than so many only the number is kept.
final class DriftLedger: Sendable {
  static let maximumFields = 100

  private struct State {
    var fields: [String: DriftedField] = [:]
    var others = 0
    var files: [String: Int] = [:]
  }

  private let state = Mutex(State())

  func add(_ differences: [RequestDifference], file: String) {
    state.withLock { state in
      state.files[file, default: 0] += 1
      var seen: Set<String> = []
      for difference in differences where seen.insert(difference.place).inserted {
        Self.add(difference, to: &state)
      }
    }
  }

  private static func add(_ difference: RequestDifference, to state: inout State) {
    let place = difference.place
    if state.fields[place] != nil {
      state.fields[place]?.count += 1
    } else if state.fields.count < maximumFields {
      state.fields[place] = DriftedField(
        field: place, count: 1, recorded: difference.recorded, received: difference.received)
    } else {
      state.others += 1
    }
  }

  /// The most frequent first, and how often others than these differed.
  var fields: (listed: [DriftedField], others: Int) {
    state.withLock { state in
      let sorted = state.fields.values.sorted { ($1.count, $0.field) < ($0.count, $1.field) }
      return (sorted, state.others)
    }
  }

  /// How many of the requests that got a recording drifted, by its file.
  var files: [String: Int] { state.withLock { $0.files } }
}

/// A place where requests differed from their recordings without a difference to the rules.
public struct DriftedField: Sendable, Equatable {
  /// As in `query "ts"`, `$.items[*].nonce`, `body`.
  public var field: String
  /// In how many requests.
  public var count: Int
  /// As an example, the first of them; nil where it was not there.
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
