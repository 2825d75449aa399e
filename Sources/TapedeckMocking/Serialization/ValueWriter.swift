/// Writes values of one type.
struct ValueWriter: Sendable {
  typealias Body<Value> = @Sendable (Value, inout SerializationRun) throws(SerializationError) -> Bool

  /// Writes the value that the pointer leads to.
  /// - Returns: false when nothing was written, because the value is left out.
  let write: Body<UnsafeRawPointer>

  init(_ write: @escaping Body<UnsafeRawPointer>) { self.write = write }

  /// A writer of values of one static type.
  init<Value>(of type: Value.Type, _ write: @escaping Body<UnsafePointer<Value>>) {
    self.write = { pointer, run throws(SerializationError) in
      try write(pointer.assumingMemoryBound(to: Value.self), &run)
    }
  }
}

/// A type with a writer of its own.
protocol SelfWriting {
  static var writer: ValueWriter { get }
}

/// A type whose values write themselves.
protocol Writable: SelfWriting, SendableMetatype {
  /// - Returns: false when nothing was written, because the value is left out.
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool
}

extension Writable {
  static var writer: ValueWriter {
    ValueWriter(of: Self.self) { value, run throws(SerializationError) in try value.pointee.write(to: &run) }
  }
}
