/// A value that all loops share and that seldom changes. Each change raises the version.
package protocol Versioned: AnyObject, Sendable {
  associatedtype Value
  var version: Int { get }
  /// The value as it stands; may take a lock.
  var current: Value { get }
}

/// A shared value as one loop last saw it. It is read anew only when its version has changed, so that requests neither
/// wait for a lock nor write to memory that other loops read.
package final class LoopCache<Source: Versioned> {
  @usableFromInline let source: Source
  @usableFromInline var version: Int
  @usableFromInline var value: Source.Value

  @inlinable package init(_ source: Source) {
    self.source = source
    // The version first: what changes in between is read once more.
    version = source.version
    value = source.current
  }

  @inlinable package var current: Source.Value {
    let now = source.version
    if now != version {
      version = now
      value = source.current
    }
    return value
  }
}
