/// Writes values of one type.
protocol ValueWriter: Sendable {
  /// Writes the value that the pointer leads to; false when there was nothing to say, and nothing was written.
  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool
}

/// Writes values of a type that are handed over as such.
protocol TypedWriter: ValueWriter {
  associatedtype Value
  func write(value: borrowing Value, _ run: inout SerializationRun) throws(SerializationError) -> Bool
}

extension TypedWriter {
  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    try write(value: pointer.assumingMemoryBound(to: Value.self).pointee, &run)
  }
}

/// A type of the standard library, or of ours, that knows how it is written.
protocol SelfWriting {
  static var writer: any ValueWriter { get }
}

/// A type of ours whose values write themselves.
protocol Writable: SelfWriting, SendableMetatype {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool
}

extension Writable {
  static var writer: any ValueWriter { WritableWriter<Self>() }
}

private struct WritableWriter<Value: Writable>: TypedWriter {
  func write(value: borrowing Value, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    try value.write(to: &run)
  }
}
