/// What all loops share and seldom changes. A change raises the version.
protocol Versioned: AnyObject, Sendable {
  associatedtype Value
  var version: Int { get }
  /// As it stands; may take a lock.
  var current: Value { get }
}

/// What loops share, as one of them last saw it: looked at anew only when it has changed, so that requests neither wait
/// for a lock nor write to memory that other loops read.
final class LoopCache<Source: Versioned> {
  private let source: Source
  private var version: Int
  private var value: Source.Value

  init(_ source: Source) {
    self.source = source
    // The version first: what changes in between is looked at once more.
    version = source.version
    value = source.current
  }

  var current: Source.Value {
    let now = source.version
    if now != version {
      version = now
      value = source.current
    }
    return value
  }
}
