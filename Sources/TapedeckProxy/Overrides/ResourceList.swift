internal import Synchronization
internal import TapedeckHTTP
internal import TapedeckMocking

/// The resources of a session and what they hold, as they stand: changed from any thread, seen by the next request.
final class ResourceList: Sendable {
  struct Entry: Sendable {
    var rule: ResourceRule
    /// Whether it goes when the overrides file is read anew.
    var isFromFile: Bool
  }

  private let state: Mutex<[Entry]>
  /// The routes by which the resources are served.
  let router = Router()

  init(_ entries: [Entry] = []) { state = Mutex(entries) }

  var entries: [Entry] { state.withLock { $0 } }

  /// Adds a resource, or puts it in the place of the one with its id.
  /// - Returns: whether it is new.
  @discardableResult
  func put(_ rule: ResourceRule, isFromFile: Bool = false) -> Bool {
    state.withLock { entries in
      let entry = Entry(rule: rule, isFromFile: isFromFile)
      if let index = entries.firstIndex(where: { $0.rule.id == rule.id }) {
        entries[index] = entry
        return false
      }
      entries.append(entry)
      return true
    }
  }

  /// False when there was none.
  func remove(_ id: String) -> Bool {
    state.withLock { entries in
      guard let index = entries.firstIndex(where: { $0.rule.id == id }) else { return false }
      entries.remove(at: index)
      return true
    }
  }

  func removeAll() { state.withLock { $0 = [] } }

  /// Puts these in the place of all that came from the file; one that is declared as before keeps its data.
  func replaceFileRules(_ rules: [ResourceRule]) {
    state.withLock { entries in
      entries.removeAll(where: \.isFromFile)
      entries.insert(contentsOf: rules.map { Entry(rule: $0, isFromFile: true) }, at: 0)
    }
  }

  /// The same resources with the data they began with, for another session.
  func fresh() -> ResourceList { ResourceList(entries) }

  /// All data as it was in the beginning.
  func reset() {}
}
