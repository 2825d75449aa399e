internal import Synchronization
internal import TapedeckMocking
internal import TapedeckResources

/// The resources that an overrides file declares, on their way into the lists of all sessions. Lists that had the same
/// resources have the same ones afterwards.
final class FileResources: Sendable {
  private struct Change {
    /// Held, so that its identity stays its own.
    let old: ResourceCatalog
    let new: ResourceList.Declared
  }

  private let rules: [ResourceRule]
  private let changes = Mutex<[ObjectIdentifier: Change]>([:])

  init(_ rules: [ResourceRule]) { self.rules = rules }

  func declared(after old: ResourceList.Declared) -> ResourceList.Declared {
    changes.withLock { changes in
      if let known = changes[ObjectIdentifier(old.catalog)] { return known.new }
      let own = old.entries.filter { !$0.isFromFile }
      let taken = Set(own.map(\.rule.id))
      let declared = rules.lazy.filter { !taken.contains($0.id) }
      let new = ResourceList.Declared(
        declared.map { ResourceList.Entry(rule: $0, isFromFile: true) } + own)
      changes[ObjectIdentifier(old.catalog)] = Change(old: old.catalog, new: new)
      return new
    }
  }

  /// Lets go of the lists there were. One that comes later has the same resources in a list of its own.
  func forget() { changes.withLock { $0 = [:] } }
}
