internal import TapedeckRecording

extension StoreXML.Item {
  /// Its age in seconds; `nil` if its time cannot be read.
  func age(at now: Int) -> Int? {
    let text = modified.utf8.count == 20 ? "\(modified.dropLast()).000Z" : modified
    return Timestamp.microseconds(text).map { now - $0 / 1_000_000 }
  }
}

extension RemoteCassette {
  /// Objects that no manifest in force names.
  package struct Garbage: Sendable {
    /// Their keys and sizes.
    package var old: [(key: String, bytes: Int)] = []
    /// How many are not old enough to be removed: they may belong to a sealing that goes on.
    package var youngCount = 0
    package var keptCount = 0
  }

  private static var minimumAgeSeconds: Int { 24 * 3600 }

  /// What sealings left that did not come to their end, or that others replaced.
  package func garbage(onPage: (Int) -> Void = { _ in }) throws(StoreError) -> Garbage {
    // Before the lists: what comes to be wanted afterwards is new.
    let wanted = Set(try files(of: try current()).map { address.key($0.object) })
    var garbage = Garbage()
    for folder in ["objects/", "locks/", "probes/"] {
      let (items, now) = try client().list(prefix: address.key(folder), onPage: onPage)
      for item in items where item.key.hasPrefix(address.key(folder)) {
        if wanted.contains(item.key) {
          garbage.keptCount += 1
        } else if item.age(at: now).map({ $0 > Self.minimumAgeSeconds }) ?? false {
          garbage.old.append((item.key, item.bytes))
        } else {
          garbage.youngCount += 1
        }
      }
    }
    return garbage
  }

  package func remove(
    _ garbage: Garbage, progress: (_ done: Int, _ total: Int) -> Void = { _, _ in }
  ) throws(StoreError) {
    var done = 0
    try client().perform(garbage.old.map { .delete($0.key) }) { _, _ in
      done += 1
      progress(done, garbage.old.count)
    }
  }
}
