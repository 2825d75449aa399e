/// A key transformer at work in one serialisation. Remembers what it made of the properties of each type.
final class KeyMapping {
  let transform: KeyTransformer
  private var planned: [ObjectIdentifier: [[UInt8]?]] = [:]
  private var spelled: [String: String] = [:]

  init(_ transform: @escaping KeyTransformer) { self.transform = transform }

  /// `own` first, then the one of the wrappers around: the outermost has the last word.
  static func combined(_ own: @escaping KeyTransformer, then outer: KeyMapping?) -> KeyMapping {
    guard let outer else { return KeyMapping(own) }
    return KeyMapping { outer.transform(own($0)) }
  }

  /// What becomes of one name; for those that come again and again.
  func name(_ key: String) -> String {
    if let known = spelled[key] { return known }
    let name = transform(key)
    spelled[key] = name
    return name
  }

  /// The member names of a structure's fields; nil for one whose name a later field has, too.
  func names(of structure: StructurePlan) -> [[UInt8]?] {
    let identifier = ObjectIdentifier(structure)
    if let names = planned[identifier] { return names }
    var names: [[UInt8]?] = structure.fields.map { SerializationRun.memberName(transform($0.name)) }
    for index in names.indices.dropLast() where names[(index + 1)...].contains(names[index]) {
      names[index] = nil
    }
    planned[identifier] = names
    return names
  }
}
