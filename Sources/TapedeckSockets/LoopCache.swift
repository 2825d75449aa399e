/// A value that all loops share and that seldom changes. Each change increases the version.
public protocol Versioned: AnyObject, Sendable {
  associatedtype Value
  var version: Int { get }
  /// May take a lock.
  var current: Value { get }
}

/// One loop's cache of a shared value, read again only when its version has changed, so that requests neither
/// wait for a lock nor write to shared memory. Public because the compiler does not specialize `package`
/// types in other modules.
public final class LoopCache<Source: Versioned> {
  @usableFromInline let source: Source
  // Used by one thread, and no call during a read re-enters it.
  @exclusivity(unchecked) @usableFromInline var version: Int
  @exclusivity(unchecked) @usableFromInline var value: Source.Value

  @inlinable public init(_ source: Source) {
    self.source = source
    // Read first, so that a change in between is read again.
    version = source.version
    value = source.current
  }

  @inlinable public var current: Source.Value {
    let now = source.version
    if now != version {
      version = now
      value = source.current
    }
    return value
  }
}
