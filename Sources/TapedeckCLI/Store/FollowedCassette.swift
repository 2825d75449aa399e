internal import Glibc
internal import Synchronization
internal import TapedeckObjectStore
internal import TapedeckProxy

/// Looks from time to time whether a cassette in a store has changed, and puts the new one into a running proxy. Every
/// recorded sequence then begins anew. A store that cannot be asked is told of once, and what is loaded stays.
final class FollowedCassette: Sendable {
  private struct State {
    var isStopped = false
  }

  private let name: String
  private let seconds: Int
  private let proxy: ProxyServer
  /// Held while the cassette is changed, so that a proxy that stops is not given one.
  private let state = Mutex(State())

  init(_ name: String, everySeconds seconds: Int, in proxy: ProxyServer) {
    (self.name, self.seconds, self.proxy) = (name, seconds, proxy)
    let context = Unmanaged.passRetained(self)
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<FollowedCassette>.fromOpaque(context).takeRetainedValue().follow() }
        return nil
      }, context.toOpaque())
    guard code == 0 else {
      context.release()
      Terminal.say("warning: \(name) is not followed: \(String(cString: strerror(code)))")
      return
    }
    pthread_detach(thread)
  }

  /// Nothing is changed after this.
  func stop() { state.withLock { $0.isStopped = true } }

  private func follow() {
    var problem: String?
    var loaded: CachedCassette?
    do {
      let remote = try RemoteCassettes.remote(name)
      var digest: String? = try RemoteCassettes.folder(name).split(separator: "/").last.map(String.init)
      while !state.withLock({ $0.isStopped }) {
        sleep(UInt32(seconds))
        do {
          guard let new = try remote.digest() else { throw Failure("\(name): the cassette is gone") }
          problem = nil
          guard new != digest, let cassette = try remote.open() else { continue }
          try put(cassette)
          // What was replayed until now may be removed from the cache.
          loaded = cassette
          digest = new
        } catch {
          if problem != "\(error)" { Terminal.say("warning: \(error); going on with what is loaded") }
          problem = "\(error)"
        }
      }
    } catch {
      Terminal.say("warning: \(name) is not followed: \(error)")
    }
    withExtendedLifetime(loaded) {}
  }

  private func put(_ cassette: CachedCassette) throws {
    try state.withLock { state in
      guard !state.isStopped else { return }
      try proxy.change(mode: .none, cassette: cassette.folder)
      let count = HumanText.count(proxy.interactionCounts.replayable, "interaction")
      Terminal.say("\(name) has changed: \(count); every recorded sequence begins anew")
    }
  }
}
