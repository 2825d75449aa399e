/// Writes relations by ids: of one entity the id or null, of several an array.
extension ToOne: SelfWriting {
  static var writer: any ValueWriter { OneWriter() }
}

extension ToMany: SelfWriting {
  static var writer: any ValueWriter { ManyWriter() }
}

extension ToOneOf: SelfWriting {
  static var writer: any ValueWriter { OneWriter(types: targets) }
}

extension ToManyOf: SelfWriting {
  static var writer: any ValueWriter { ManyWriter(types: targets) }
}

extension ToOne: Serializable {}
extension ToMany: Serializable {}
extension ToOneOf: Serializable {}
extension ToManyOf: Serializable {}

private struct OneWriter: ValueWriter {
  /// Of a polymorphic relation.
  var types: [any Storable.Type]?

  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    let storage = pointer.assumingMemoryBound(to: OneStorage.self).pointee
    guard let target = storage.target else {
      run.write(literal: "null")
      return true
    }
    run.write(target, among: types)
    return true
  }
}

private struct ManyWriter: ValueWriter {
  var types: [any Storable.Type]?

  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    run.out.append(UInt8(ascii: "["))
    for (index, target) in pointer.assumingMemoryBound(to: ManyStorage.self).pointee.targets.enumerated() {
      if index > 0 { run.out.append(UInt8(ascii: ",")) }
      run.write(target, among: types)
    }
    run.out.append(UInt8(ascii: "]"))
    return true
  }
}

extension SerializationRun {
  fileprivate mutating func write(_ target: EntityKey, among types: [any Storable.Type]?) {
    guard let types else { return write(text: target.id) }
    let named = TypedID(target, among: types)
    out += Self.memberName("type").prefixed("{")
    write(text: named.type)
    out += Self.memberName("id").prefixed(",")
    write(text: named.id)
    out.append(UInt8(ascii: "}"))
  }
}

extension [UInt8] {
  fileprivate func prefixed(_ text: Unicode.Scalar) -> [UInt8] { [UInt8(ascii: text)] + self }
}
