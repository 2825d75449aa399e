internal import TapedeckHTTP

/// A lock in a store that knows no conditions: each writer puts an object of its own, then lists those of all, and goes on
/// only if it is alone. Of two at once at least one sees the other, since a list shows what was put before it was asked
/// for. Both may; they take theirs away and come back after different times.
///
/// A lock whose writer died counts for a minute, by the store's clock. A writer that halts for longer than that between
/// its list and its put could overwrite another's manifest; with conditions it could not.
struct StoreLock {
  private static let lifeSeconds = 60
  private static let patienceMilliseconds = 90_000

  let client: StoreClient
  let seal: String
  let surroundings: StoreSurroundings

  func held<Value>(_ act: () throws(StoreError) -> Value) throws(StoreError) -> Value {
    let key = client.address.key("locks/\(seal)")
    let start = surroundings.milliseconds()
    while true {
      _ = try client.perform(.put(key, Array("\(seal)\n".utf8)))
      if try isAlone(key) { break }
      _ = try client.perform(.delete(key))
      let waited = surroundings.milliseconds() - start
      guard waited < Self.patienceMilliseconds else {
        throw StoreError(
          client.address.place(of: client.address.key("locks/")), .locked(seconds: waited / 1000))
      }
      StoreFiles.pause(milliseconds: Int.random(in: 50...1000))
    }
    do throws(StoreError) {
      let value = try act()
      _ = try? client.perform(.delete(key))
      return value
    } catch {
      _ = try? client.perform(.delete(key))
      throw error
    }
  }

  private func isAlone(_ key: String) throws(StoreError) -> Bool {
    let (items, now) = try client.list(prefix: client.address.key("locks/"))
    return items.allSatisfy { item in
      item.key == key || item.age(at: now).map { $0 > Self.lifeSeconds } ?? false
    }
  }
}
