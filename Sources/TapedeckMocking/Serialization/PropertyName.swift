/// A property wrapper whose `wrappedValue` is to be serialised under the property's own name.
///
/// A wrapper that stores its value as `wrappedValue` is found out without conforming; one that computes it says so with
/// one line: `extension Clamped: SerializableWrapper {}`.
public protocol SerializableWrapper: SendableMetatype {
  associatedtype WrappedValue
  var wrappedValue: WrappedValue { get }
}

/// The names of properties as they are declared, from the names of their storage.
package enum PropertyName {
  /// The names of a structure's stored properties; none of any other type.
  package static func stored<T>(in type: T.Type) -> [String] {
    StructurePlan(of: type)?.fields.map(\.name) ?? []
  }

  /// The name of the stored property that a key path leads to; nil where that cannot be told.
  package static func stored<Root>(at path: PartialKeyPath<Root>) -> String? {
    guard let offset = MemoryLayout<Root>.offset(of: path) else { return nil }
    return StructurePlan(of: Root.self)?.fields.first { $0.offset == offset }?.name
  }

  private static let lazyPrefix = "$__lazy_storage_$_"

  static func declared(label: String, isWrapper: Bool) -> String {
    if label.hasPrefix(lazyPrefix) { return String(label.dropFirst(lazyPrefix.count)) }
    return isWrapper ? String(label.dropFirst()) : label
  }

  /// How the wrapped value is written, when the storage is that of a property wrapper.
  static func wrappedWriter<T>(label: String, type: T.Type) -> (any ValueWriter)? {
    guard label.hasPrefix("_") else { return nil }
    if let type = type as? any SerializableWrapper.Type { return writer(of: type) }
    return StructurePlan(of: type)?.fields.first { $0.name == "wrappedValue" }.map { StoredWriter(value: $0) }
  }

  private static func writer<T: SerializableWrapper>(of type: T.Type) -> any ValueWriter {
    ComputedWriter<T>()
  }
}

/// The value a wrapper stores.
private struct StoredWriter: ValueWriter {
  let value: StructurePlan.Field

  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    try value.writer.write(pointer + value.offset, &run)
  }
}

/// The value a wrapper gives when asked.
private struct ComputedWriter<Wrapper: SerializableWrapper>: TypedWriter {
  private let wrapped = LazyWriter<Wrapper.WrappedValue>()

  func write(value: borrowing Wrapper, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    try wrapped.write(value: value.wrappedValue, &run)
  }
}
