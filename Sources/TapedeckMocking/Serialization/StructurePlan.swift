@_spi(Reflection) internal import Swift

/// The stored properties of a struct, with their offsets and writers, computed once per type.
///
/// Uses the standard library's reflection for the name, offset and type of each field. A field that is no
/// plain value (`weak`, `unowned`, a function) has no key path, so its struct is written by `Mirror`. So are
/// `CustomReflectable` types, and classes, where such fields cannot be detected.
final class StructurePlan: Sendable {
  struct Field: Sendable {
    var name: String
    /// The name as a JSON member name, with quotes and colon.
    var memberName: [UInt8]
    var offset: Int
    var type: any Any.Type
    var writer: ValueWriter
  }

  let fields: [Field]

  init?<T>(of type: T.Type) {
    guard metadataKind(of: type) == .struct, !(type is any CustomReflectable.Type) else { return nil }
    let offsets = Self.offsets(of: type)
    var fields: [Field] = []
    let isComplete = _forEachField(of: type) { name, offset, fieldType, _ in
      let label = String(cString: name)
      guard offsets[label] == offset else { return false }
      fields.append(Self.field(label, offset: offset, ofType: fieldType))
      return true
    }
    guard isComplete else { return nil }
    self.fields = fields
  }

  /// The offsets of the fields with a key path, which are the plain values.
  private static func offsets<T>(of type: T.Type) -> [String: Int] {
    let ignoringUnknown = _EachFieldOptions(rawValue: 1 << 1)
    var offsets: [String: Int] = [:]
    _ = _forEachFieldWithKeyPath(of: type, options: ignoringUnknown) { name, path in
      offsets[String(cString: name)] = MemoryLayout<T>.offset(of: path)
      return true
    }
    return offsets
  }

  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    try run.object { run throws(SerializationError) in
      let names = run.keys?.names(of: self)
      for index in fields.indices {
        let field = fields[index]
        guard let name = names == nil ? field.memberName : names?[index] else { continue }
        try run.member(name, step: field.name) { run throws(SerializationError) in
          try field.writer.write(pointer + field.offset, &run)
        }
      }
    }
  }

  private static func field(_ label: String, offset: Int, ofType type: any Any.Type) -> Field {
    func opened<T>(_ type: T.Type) -> Field {
      let wrapped = PropertyName.wrappedWriter(label: label, type: type)
      let name = PropertyName.declared(label: label, isWrapper: wrapped != nil)
      return Field(
        name: name, memberName: SerializationRun.memberName(name), offset: offset, type: type,
        writer: wrapped ?? writer(of: type, name: label))
    }
    return _openExistential(type, do: opened)
  }

  /// The type's own writer, or else a lazy one, because the type may contain this one.
  private static func writer<T>(of type: T.Type, name: String) -> ValueWriter {
    // A relation needs its name, because its targets may be embedded under it.
    if let type = type as? any RelationProperty.Type { return type.writer(name: name) }
    if let type = type as? any SelfWriting.Type { return type.writer }
    return ValueWriter(LazyWriter<T>().write)
  }
}

/// A property wrapper whose computed `wrappedValue` is serialized. One that stores it need not conform.
public protocol SerializableWrapper: SendableMetatype {
  /// The type of the wrapped value.
  associatedtype WrappedValue
  /// The value that is serialized.
  var wrappedValue: WrappedValue { get }
}

/// The declared names of properties, derived from the names of their storage.
package enum PropertyName {
  /// The names of a structure's stored properties; empty for any other type.
  package static func stored<T>(in type: T.Type) -> [String] {
    StructurePlan(of: type)?.fields.map(\.name) ?? []
  }

  /// The name of the stored property at a key path; `nil` if unknown.
  package static func stored<Root>(at path: PartialKeyPath<Root>) -> String? {
    guard let offset = MemoryLayout<Root>.offset(of: path) else { return nil }
    return StructurePlan(of: Root.self)?.fields.first { $0.offset == offset }?.name
  }

  fileprivate static func declared(label: String, isWrapper: Bool) -> String {
    let lazyPrefix = "$__lazy_storage_$_"
    if label.hasPrefix(lazyPrefix) { return String(label.dropFirst(lazyPrefix.count)) }
    return isWrapper ? String(label.dropFirst()) : label
  }

  /// The writer of the wrapped value, if the storage belongs to a property wrapper.
  fileprivate static func wrappedWriter<T>(label: String, type: T.Type) -> ValueWriter? {
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

/// The stored properties of a struct or class in the order of declaration, inherited ones first.
func properties(of mirror: Mirror) -> [(name: String, value: Any)] {
  let inherited = mirror.superclassMirror.map { properties(of: $0) } ?? []
  return inherited
    + mirror.children.compactMap { label, value in
      guard let label else { return nil }
      let wrapped = label.hasPrefix("_") ? wrappedValue(of: value) : nil
      return (PropertyName.declared(label: label, isWrapper: wrapped != nil), wrapped ?? value)
    }
}

private func wrappedValue(of value: Any) -> Any? {
  if let wrapper = value as? any SerializableWrapper { return wrapper.wrappedValue }
  return Mirror(reflecting: value).children.first { $0.label == "wrappedValue" }?.value
}
