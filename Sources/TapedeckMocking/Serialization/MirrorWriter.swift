/// Writes values as `Mirror` shows them: slower than a plan, and right for everything.
struct MirrorWriter<T>: ValueWriter {
  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    let value = pointer.assumingMemoryBound(to: T.self).pointee
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .enum {
      try writeEnum(value, mirror, &run)
    } else {
      try run.writeObject(Properties.of(mirror))
    }
    return true
  }

  /// A case without payload is its name; with payload an object of the one member that has its name.
  private func writeEnum(
    _ value: T, _ mirror: Mirror, _ run: inout SerializationRun
  ) throws(SerializationError) {
    guard let payload = mirror.children.first, let name = payload.label else {
      return run.write(text: "\(value)")
    }
    try run.writeObject([Property(name: name, value: payload.value)])
  }
}
