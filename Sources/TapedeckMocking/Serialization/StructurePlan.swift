@_spi(Reflection) internal import Swift

/// The stored properties of a struct: where they lie and how they are written, found out once.
///
/// Assumes what the standard library's own reflection tells: name, offset and type of each field, for types that are
/// known at run time as `T`. Where a field is no plain value of its type — `weak`, `unowned`, a function — there is no
/// key path to it, hence no plan, and `Mirror` does the work. So it does for classes, whose fields may be of that kind
/// without saying so, and for `CustomReflectable` types.
final class StructurePlan: ValueWriter {
  struct Field: Sendable {
    /// As declared.
    var name: String
    /// The name as a JSON member name, with quotes and colon.
    var memberName: [UInt8]
    var offset: Int
    var type: any Any.Type
    var writer: any ValueWriter
  }

  let fields: [Field]

  init?<T>(of type: T.Type) {
    guard case .structure = TypeKind(of: type), !(type is any CustomReflectable.Type) else { return nil }
    let offsets = Self.offsets(of: type)
    var fields: [Field] = []
    let isComplete = _forEachField(of: type) { name, offset, fieldType, _ in
      let label = String(cString: name)
      guard offsets[label] == offset else { return false }
      fields.append(FieldBuilder(label: label, offset: offset).field(ofType: fieldType))
      return true
    }
    guard isComplete else { return nil }
    self.fields = fields
  }

  /// Where the fields lie to which there is a key path, that is, which are plain values.
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
}

/// Makes the plan of one field, given its type.
private struct FieldBuilder {
  let label: String
  let offset: Int

  func field(ofType type: any Any.Type) -> StructurePlan.Field {
    func opened<T>(_ type: T.Type) -> StructurePlan.Field { field(of: type) }
    return _openExistential(type, do: opened)
  }

  private func field<T>(of type: T.Type) -> StructurePlan.Field {
    let wrapped = PropertyName.wrappedWriter(label: label, type: type)
    let name = PropertyName.declared(label: label, isWrapper: wrapped != nil)
    return StructurePlan.Field(
      name: name, memberName: SerializationRun.memberName(name), offset: offset, type: type,
      writer: wrapped ?? relationWriter(of: type) ?? Self.writer(of: type))
  }

  /// A relation has to know its name, to be told whether what it leads to is wanted in its place.
  private func relationWriter<T>(of type: T.Type) -> (any ValueWriter)? {
    (type as? any RelationProperty.Type).map { RelationWriter($0, name: label) }
  }

  /// The plan itself where it stands for good, a promise of it where the type may contain this one.
  private static func writer<T>(of type: T.Type) -> any ValueWriter {
    if let type = type as? any SelfWriting.Type { return type.writer }
    return LazyWriter<T>()
  }
}
