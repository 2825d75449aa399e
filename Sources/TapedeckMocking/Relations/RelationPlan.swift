@_spi(Reflection) internal import Swift
internal import Synchronization

/// The relations of one type, found out once: where they lie, where they lead, and what leads back.
struct RelationPlan: Sendable {
  struct Field: Sendable {
    let index: Int
    let name: String
    let offset: Int
    let isToMany: Bool
    let targets: [any Storable.Type]
    var cascades = false
    var isOneWay = false
    /// The inverses that rules name, by target: their offset and name.
    var namedInverses: [ObjectIdentifier: (offset: Int?, name: String)] = [:]
    /// The index of the property that leads back, by target; nothing for a target that does not.
    var inverses: [ObjectIdentifier: Int] = [:]

    func leads(to type: ObjectIdentifier) -> Bool { targets.contains { ObjectIdentifier($0) == type } }

    func leadsOneWay(to type: ObjectIdentifier) -> Bool { leads(to: type) && inverses[type] == nil }
  }

  let type: any Storable.Type
  private(set) var fields: [Field] = []
  private var problems: [(relation: String, problem: RelationProblem)] = []

  var key: ObjectIdentifier { ObjectIdentifier(type) }

  /// What is wrong with the declarations.
  var problem: (relation: String, problem: RelationProblem)? { problems.first }

  /// The relations as they are declared, without inverses.
  init<T: Storable>(declaredBy type: T.Type) {
    self.type = type
    findFields(of: type)
    if let type = type as? any Related.Type { applyRules(of: type) }
  }

  /// A store cannot change the relations of a class instance: whoever has read it shares it.
  private mutating func findFields<T>(of type: T.Type) {
    let isClass = type is AnyObject.Type
    var found: [(name: String, offset: Int, type: any Any.Type)] = []
    _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: isClass ? 1 : 0)) {
      name, offset, type, _ in
      found.append((String(cString: name), offset, type))
      return true
    }
    for (name, offset, type) in found {
      if let relation = type as? any RelationProperty.Type {
        guard !isClass else {
          problems.append((name, .unsupported("entities with relations are structs")))
          continue
        }
        fields.append(
          Field(
            index: fields.count, name: name, offset: offset, isToMany: relation.isToMany,
            targets: relation.targets))
      } else if !isClass, type is any OptionalRelation.Type {
        problems.append((name, .unsupported("it is optional; a relation may be empty by itself")))
      }
    }
  }

  private mutating func applyRules<T: Related>(of type: T.Type) {
    for rule in type.relations {
      if let index = fields.firstIndex(where: { $0.offset == rule.offset }) {
        rule.apply(&fields[index])
      } else {
        problems.append((rule.name, .noRelation))
      }
    }
  }

  /// - Parameter declaration: what a type declares.
  fileprivate mutating func findInverses(_ declaration: (any Storable.Type) -> RelationPlan) {
    let declared = self
    for (index, field) in declared.fields.enumerated() {
      for target in field.targets {
        do throws(RelationProblem) {
          fields[index].inverses[ObjectIdentifier(target)] = try declared.inverse(
            of: field, in: declaration(target))
        } catch {
          problems.append((field.name, error))
        }
      }
    }
  }

  // MARK: Plans

  private static let known = Mutex<[ObjectIdentifier: RelationPlan]>([:])

  /// The plan of a type, made once. Must not be called for the first time while a lock is held: it runs the type's own `relations`.
  static func of<T: Storable>(_ type: T.Type) -> RelationPlan {
    let key = ObjectIdentifier(type)
    if let plan = known.withLock({ $0[key] }) { return plan }
    var plan = RelationPlan(declaredBy: type)
    plan.findInverses { RelationPlan(declaredBy: $0) }
    return known.withLock { [plan] known in
      if let earlier = known[key] { return earlier }
      known[key] = plan
      return plan
    }
  }
}

private protocol OptionalRelation {}

extension Optional: OptionalRelation where Wrapped: RelationProperty {}

/// The changes of an entity's relations since it came out of a store.
struct RelationChanges: Sendable {
  let key: EntityKey
  let plan: RelationPlan
  private(set) var changes: [(field: RelationPlan.Field, relation: RelationStorage)] = []

  init<T: Storable>(of entity: T, id: String, _ plan: RelationPlan) {
    key = EntityKey(T.self, id)
    self.plan = plan
    if plan.fields.isEmpty { return }
    changes = withUnsafePointer(to: entity) { pointer in
      plan.fields.map { ($0, UnsafeRawPointer(pointer).relation($0)) }.filter { $0.1.isChanged }
    }
  }
}

/// A relation of a stored type that the store keeps in step, for those that serve entities.
package struct StoredRelation: Sendable {
  let field: RelationPlan.Field

  package var name: String { field.name }
  package var isToMany: Bool { field.isToMany }
  package var targets: [any Storable.Type] { field.targets }

  package static func all<T: Storable>(of type: T.Type) -> [StoredRelation] {
    RelationPlan.of(type).fields.map { StoredRelation(field: $0) }
  }

  /// The entities that an entity of the type leads to.
  package func keys<T: Storable>(of entity: T) -> [EntityKey] {
    withUnsafePointer(to: entity) { UnsafeRawPointer($0).relation(field).targets }
  }

  package func set<T: Storable>(_ keys: [EntityKey], in entity: inout T) {
    withUnsafeMutablePointer(to: &entity) {
      UnsafeMutableRawPointer($0).changeRelation(field) { $0.assign(keys) }
    }
  }
}
