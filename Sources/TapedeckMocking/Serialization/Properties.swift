/// A property wrapper whose `wrappedValue` is serialized under the property's own name.
///
/// A wrapper that stores its value as `wrappedValue` need not conform; one that computes it does with one line:
/// `extension Clamped: SerializableWrapper {}`.
public protocol SerializableWrapper: SendableMetatype {
  /// The type of the wrapped value.
  associatedtype WrappedValue
  /// The value that is serialized.
  var wrappedValue: WrappedValue { get }
}

/// The declared names of properties, from the names of their storage.
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

  /// The writer of the wrapped value, when the storage is that of a property wrapper.
  static func wrappedWriter<T>(label: String, type: T.Type) -> ValueWriter? {
    guard label.hasPrefix("_") else { return nil }
    if let type = type as? any SerializableWrapper.Type { return writer(of: type) }
    return StructurePlan(of: type)?.fields.first { $0.name == "wrappedValue" }.map { value in
      ValueWriter { pointer, run throws(SerializationError) in
        try value.writer.write(pointer + value.offset, &run)
      }
    }
  }

  private static func writer<T: SerializableWrapper>(of type: T.Type) -> ValueWriter {
    let wrapped = LazyWriter<T.WrappedValue>()
    return ValueWriter(of: type) { wrapper, run throws(SerializationError) in
      try wrapped.write(value: wrapper.pointee.wrappedValue, &run)
    }
  }
}

// MARK: - Reflection of values

/// A stored property of a value.
struct Property {
  /// As declared.
  var name: String
  var value: Any
  /// The dynamic type of the value.
  var type: any Any.Type { Swift.type(of: value) }
}

/// The stored properties of values.
enum Properties {
  /// Those of a struct or class in the order of declaration, inherited ones first.
  static func of(_ value: Any) -> [Property] { of(Mirror(reflecting: value)) }

  static func of(_ mirror: Mirror) -> [Property] {
    let inherited = mirror.superclassMirror.map { of($0) } ?? []
    return inherited
      + mirror.children.compactMap { label, value in
        label.map { property(label: $0, value: value) }
      }
  }

  private static func property(label: String, value: Any) -> Property {
    guard label.hasPrefix("_"), let wrapped = wrappedValue(of: value) else {
      return Property(name: PropertyName.declared(label: label, isWrapper: false), value: value)
    }
    return Property(name: PropertyName.declared(label: label, isWrapper: true), value: wrapped)
  }

  private static func wrappedValue(of value: Any) -> Any? {
    if let wrapper = value as? any SerializableWrapper { return wrapper.wrappedValue }
    return Mirror(reflecting: value).children.first { $0.label == "wrappedValue" }?.value
  }
}

extension ValueWriter {
  /// Writes values as `Mirror` shows them: slower than a plan, and correct for every type.
  static func mirror<T>(of type: T.Type) -> ValueWriter {
    ValueWriter(of: type) { value, run throws(SerializationError) in
      let mirror = Mirror(reflecting: value.pointee)
      if mirror.displayStyle != .enum {
        try run.writeObject(Properties.of(mirror))
      } else if let payload = mirror.children.first, let name = payload.label {
        try run.writeObject([Property(name: name, value: payload.value)])
      } else {
        run.write(text: "\(value.pointee)")
      }
      return true
    }
  }
}
