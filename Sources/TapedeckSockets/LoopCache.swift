/// A value that all loops share and that seldom changes. Each change raises the version.
public protocol Versioned: AnyObject, Sendable {
  associatedtype Value
  var version: Int { get }
  /// The value as it stands; may take a lock.
  var current: Value { get }
}

/// A shared value as one loop last saw it. It is read anew only when its version has changed, so that requests neither
/// wait for a lock nor write to memory that other loops read.
///
/// Public, so that it is specialized in other rooms; the compiler does not do that for what is `package`.
public final class LoopCache<Source: Versioned> {
  @usableFromInline let source: Source
  // One thread uses a cache, and nobody who is called while it is read comes back to it.
  @exclusivity(unchecked) @usableFromInline var version: Int
  @exclusivity(unchecked) @usableFromInline var value: Source.Value

  @inlinable public init(_ source: Source) {
    self.source = source
    // The version first: what changes in between is read once more.
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
