@_spi(Reflection) internal import Swift

/// The relations of one type as they are declared: properties and rules.
struct RelationDeclaration: Sendable {
  struct Field: Sendable {
    let name: String
    let offset: Int
    let isToMany: Bool
    let targets: [any Storable.Type]
    var cascades = false
    var isOneWay = false
    /// Where the inverse lies that was named, by target.
    var namedInverses: [ObjectIdentifier: Named] = [:]

    func leads(to type: any Storable.Type) -> Bool {
      targets.contains { ObjectIdentifier($0) == ObjectIdentifier(type) }
    }
  }

  struct Named: Sendable {
    let offset: Int?
    let name: String
  }

  let type: any Storable.Type
  private(set) var fields: [Field] = []
  private(set) var problems: [(relation: String, problem: RelationProblem)] = []

  init<T: Storable>(_ type: T.Type) {
    self.type = type
    if type is AnyObject.Type { lookForRelations(inClass: type) } else { findFields(of: type) }
    if let type = type as? any Related.Type { apply(Self.rules(of: type)) }
  }

  private mutating func findFields<T>(of type: T.Type) {
    var fields: [Field] = []
    var problems: [(String, RelationProblem)] = []
    _ = _forEachField(of: type) { label, offset, fieldType, _ in
      let name = String(cString: label)
      if let relation = fieldType as? any RelationProperty.Type {
        fields.append(
          Field(name: name, offset: offset, isToMany: relation.isToMany, targets: relation.targets))
      } else if let optional = fieldType as? any OptionalType.Type,
        optional.wrappedType is any RelationProperty.Type
      {
        problems.append((name, .unsupported("it is optional; a relation may be empty by itself")))
      }
      return true
    }
    (self.fields, self.problems) = (fields, problems)
  }

  /// An object is shared with whoever has read it, so a store cannot change what is its own alone.
  private mutating func lookForRelations<T>(inClass type: T.Type) {
    var problems: [(String, RelationProblem)] = []
    let ofClass = _EachFieldOptions(rawValue: 1)
    _ = _forEachField(of: type, options: ofClass) { label, _, fieldType, _ in
      if fieldType is any RelationProperty.Type {
        problems.append((String(cString: label), .unsupported("entities with relations are structs")))
      }
      return true
    }
    self.problems = problems
  }

  private static func rules<T: Related>(of type: T.Type) -> [DeclaredRule] { T.relations.map(\.declared) }

  private mutating func apply(_ rules: [DeclaredRule]) {
    for rule in rules {
      guard let index = fields.firstIndex(where: { $0.offset == rule.offset }) else {
        problems.append((rule.name, .noRelation))
        continue
      }
      switch rule.kind {
      case .cascade: fields[index].cascades = true
      case .oneWay: fields[index].isOneWay = true
      case .inverse(let target, let offset, let name):
        fields[index].namedInverses[target] = Named(offset: offset, name: name)
      }
    }
  }
}

private protocol OptionalType {
  static var wrappedType: any Any.Type { get }
}

extension Optional: OptionalType {
  static var wrappedType: any Any.Type { Wrapped.self }
}
