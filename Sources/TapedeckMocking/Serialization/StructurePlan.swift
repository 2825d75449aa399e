@_spi(Reflection) internal import Swift

/// The stored properties of a struct: where they are and how they are written. Found out once a type.
///
/// Relies on the standard library's own reflection for name, offset and type of each field. A field that is not a plain
/// value of its type (`weak`, `unowned`, a function) has no key path, so its struct has no plan and is written by
/// `Mirror`. So are classes, whose fields may be of that kind without a sign, and `CustomReflectable` types.
final class StructurePlan: Sendable {
  struct Field: Sendable {
    /// As declared.
    var name: String
    /// The name as a JSON member name, with quotes and colon.
    var memberName: [UInt8]
    var offset: Int
    var type: any Any.Type
    var writer: ValueWriter
  }

  let fields: [Field]

  init?<T>(of type: T.Type) {
    guard case .structure = TypeKind(of: type), !(type is any CustomReflectable.Type) else { return nil }
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

  /// The offsets of the fields that have a key path, which are the plain values.
  private static func offsets<T>(of type: T.Type) -> [String: Int] {
    let ignoringUnknown = _EachFieldOptions(rawValue: 1 << 1)
    var offsets: [String: Int] = [:]
    _ = _forEachFieldWithKeyPath(of: type, options: ignoringUnknown) { name, path in
      offsets[String(cString: name)] = MemoryLayout<T>.offset(of: path)
      return true
    }
    return offsets
  }

  /// Writes the structure as an object.
  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    try run.nested { run throws(SerializationError) in
      let names = run.keys?.names(of: self)
      run.out.append(UInt8(ascii: "{"))
      for index in fields.indices {
        let field = fields[index]
        guard let name = names == nil ? field.memberName : names?[index] else { continue }
        try run.member(name, step: field.name) { run throws(SerializationError) in
          try field.writer.write(pointer + field.offset, &run)
        }
      }
      run.out.append(UInt8(ascii: "}"))
    }
    return true
  }

  private static func field(_ label: String, offset: Int, ofType type: any Any.Type) -> Field {
    func opened<T>(_ type: T.Type) -> Field {
      let wrapped = PropertyName.wrappedWriter(label: label, type: type)
      let name = PropertyName.declared(label: label, isWrapper: wrapped != nil)
      return Field(
        name: name, memberName: SerializationRun.memberName(name), offset: offset, type: type,
        writer: wrapped ?? relationWriter(of: type, name: label) ?? writer(of: type))
    }
    return _openExistential(type, do: opened)
  }

  /// A relation knows its name, because it may be replaced by what it leads to.
  private static func relationWriter<T>(of type: T.Type, name: String) -> ValueWriter? {
    (type as? any RelationProperty.Type).map { ValueWriter(RelationWriter($0, name: name).write) }
  }

  /// The writer itself if the type has one for good, else a lazy one, because the type may contain this one.
  private static func writer<T>(of type: T.Type) -> ValueWriter {
    if let type = type as? any SelfWriting.Type { return type.writer }
    return ValueWriter(LazyWriter<T>().write)
  }
}
