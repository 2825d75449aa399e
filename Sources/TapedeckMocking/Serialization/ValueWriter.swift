/// Writes values of one type.
protocol ValueWriter: Sendable {
  /// Writes the value that the pointer leads to.
  /// - Returns: false when nothing was written, because the value is left out.
  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool
}

/// Writes values of one static type.
protocol TypedWriter: ValueWriter {
  associatedtype Value
  func write(value: borrowing Value, _ run: inout SerializationRun) throws(SerializationError) -> Bool
}

extension TypedWriter {
  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    try write(value: pointer.assumingMemoryBound(to: Value.self).pointee, &run)
  }
}

/// A type with a writer of its own.
protocol SelfWriting {
  static var writer: any ValueWriter { get }
}

/// A type whose values write themselves.
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
