/// Writes relations as ids, or as the related entities where these are embedded.
///
/// A to-one relation is an id or null, a to-many one an array; a polymorphic id has its type beside it. An entity inside
/// itself is written as its id, so cycles end.
struct RelationWriter: Sendable {
  private let name: String?
  private let isToMany: Bool
  /// Of a polymorphic relation.
  private let types: [any Storable.Type]?

  init(_ type: any RelationProperty.Type, name: String? = nil) {
    self.name = name
    isToMany = type.isToMany
    types = type.isPolymorphic ? type.targets : nil
  }

  func write(_ pointer: UnsafeRawPointer, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    let targets = pointer.assumingMemoryBound(to: RelationStorage.self).pointee.targets
    if isToMany {
      try write(targets, &run)
    } else if let target = targets.first {
      if try !write(target, &run) { run.write(literal: "null") }
    } else {
      run.write(literal: "null")
    }
    return true
  }

  private func write(
    _ targets: [EntityKey], _ run: inout SerializationRun
  ) throws(SerializationError) {
    try run.nested { run throws(SerializationError) in
      run.out.append(UInt8(ascii: "["))
      for (index, target) in targets.enumerated() {
        try run.element(index) { run throws(SerializationError) in try write(target, &run) }
      }
      run.out.append(UInt8(ascii: "]"))
    }
  }

  /// - Returns: false for an entity to embed that no longer exists.
  private func write(_ target: EntityKey, _ run: inout SerializationRun) throws(SerializationError) -> Bool {
    guard let outer = run.embedding, let inner = name.flatMap({ outer.step(to: target, through: $0) }) else {
      writeID(of: target, &run)
      return true
    }
    guard let entity = outer.snapshot.find(target) else { return false }
    run.embedding = inner
    defer { run.embedding = outer }
    return try run.writeAny(entity)
  }

  private func writeID(of target: EntityKey, _ run: inout SerializationRun) {
    guard let types else { return run.write(text: target.id) }
    let named = TypedID(target, among: types)
    run.out += [UInt8(ascii: "{")] + SerializationRun.memberName("type")
    run.write(text: named.type)
    run.out += [UInt8(ascii: ",")] + SerializationRun.memberName("id")
    run.write(text: named.id)
    run.out.append(UInt8(ascii: "}"))
  }
}
