@_spi(Reflection) internal import Swift
internal import Synchronization

package struct StoredRelation: Sendable {
  let index: Int
  package let name: String
  let offset: Int
  package let isToMany: Bool
  package let targets: [any Storable.Type]
  var cascades = false
  var isOneWay = false
  /// The inverses that rules name, by target: their offset and name.
  var namedInverses: [ObjectIdentifier: (offset: Int?, name: String)] = [:]
  /// The index of the inverse property, by target; missing for a target without one.
  var inverses: [ObjectIdentifier: Int] = [:]

  func leads(to type: ObjectIdentifier) -> Bool { targets.contains { ObjectIdentifier($0) == type } }

  package static func all<T: Storable>(of type: T.Type) -> [StoredRelation] { RelationPlan.of(type).fields }

  package func keys<T: Storable>(of entity: T) -> [EntityKey] {
    withUnsafePointer(to: entity) { UnsafeRawPointer($0).relation(self).targets }
  }

  package func set<T: Storable>(_ keys: [EntityKey], in entity: inout T) {
    withUnsafeMutablePointer(to: &entity) {
      UnsafeMutableRawPointer($0).changeRelation(self) { $0.assign(keys) }
    }
  }
}

/// The relations of one type, computed once: their offsets, targets and inverses.
struct RelationPlan: Sendable {
  let type: any Storable.Type
  private(set) var fields: [StoredRelation] = []
  private var problems: [(relation: String, problem: RelationProblem)] = []

  private static let known = Mutex<[ObjectIdentifier: RelationPlan]>([:])

  var key: ObjectIdentifier { ObjectIdentifier(type) }

  var problem: (relation: String, problem: RelationProblem)? { problems.first }

  /// The plan of a type. The first call runs the type's own `relations`, so the caller must not hold a lock.
  static func of<T: Storable>(_ type: T.Type) -> RelationPlan {
    known.once(ObjectIdentifier(type)) {
      var plan = RelationPlan(declaredBy: type)
      plan.findInverses()
      return plan
    }
  }

  /// The relations as declared, without inverses.
  private init<T: Storable>(declaredBy type: T.Type) {
    self.type = type
    findFields(of: type)
    if let type = type as? any Related.Type { applyRules(of: type) }
  }

  /// The store cannot change the relations of a class instance, because all readers share the instance.
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
          StoredRelation(
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

  private mutating func findInverses() {
    let declared = self
    for (index, field) in declared.fields.enumerated() {
      for target in field.targets {
        do throws(RelationProblem) {
          let target = RelationPlan(declaredBy: target)
          fields[index].inverses[target.key] = try declared.inverse(of: field, in: target)
        } catch {
          problems.append((field.name, error))
        }
      }
    }
  }

  /// The index of the inverse property in a target: the one that a rule on either side names, or else the
  /// only candidate, which must not fit another property too. `nil` if the relation is one-way.
  private func inverse(of field: StoredRelation, in target: RelationPlan) throws(RelationProblem) -> Int? {
    let claimants = target.fields.indices.filter { target.fields[$0].names(field, of: self) }
    if field.isOneWay {
      guard let claimant = claimants.first else { return nil }
      throw .contradictoryInverse("it leads one way, and \(target.path(claimant)) names it")
    }
    if field.namedInverses[target.key] != nil { return try namedInverse(of: field, in: target, claimants) }
    if claimants.count > 1 {
      throw .contradictoryInverse(claimants.map { target.path($0) }.joined(separator: " and ") + " name it")
    }
    if let claimant = claimants.first { return claimant }
    return try guessedInverse(of: field, in: target)
  }

  private func namedInverse(
    of field: StoredRelation, in target: RelationPlan, _ claimants: [Int]
  ) throws(RelationProblem) -> Int? {
    let named = field.namedInverses[target.key]
    guard let index = target.fields.firstIndex(where: { $0.offset == named?.offset }),
      target.fields[index].leads(to: key)
    else { throw .contradictoryInverse("\(named?.name ?? "") does not lead to \(type)") }
    let inverse = target.fields[index]
    if inverse.isOneWay { throw .contradictoryInverse("\(target.path(index)) leads one way") }
    if let other = inverse.namedInverses[key], other.offset != field.offset {
      throw .contradictoryInverse("\(target.path(index)) names \(other.name)")
    }
    if let rival = fields.firstIndex(where: { $0.offset != field.offset && $0.names(inverse, of: target) }) {
      throw .contradictoryInverse("\(path(rival)) names \(target.path(index)), too")
    }
    if let other = claimants.first(where: { $0 != index }) {
      throw .contradictoryInverse("\(target.path(other)) names it, and it names \(target.path(index))")
    }
    return index
  }

  private func guessedInverse(of field: StoredRelation, in target: RelationPlan) throws(RelationProblem)
    -> Int?
  {
    let candidates = target.unclaimed(leadingTo: self)
    if candidates.isEmpty { return nil }
    let rivals = unclaimed(leadingTo: target)
    guard candidates.count == 1, rivals.count == 1 else {
      throw .ambiguousInverse(
        candidates: candidates.count > 1 ? candidates.map { target.path($0) } : rivals.map { path($0) })
    }
    if key == target.key, !field.isToMany {
      throw .ambiguousInverse(candidates: ["\(path(candidates[0])) itself", "none"])
    }
    return candidates[0]
  }

  /// The properties that refer to `other` and that no rule of either side mentions.
  private func unclaimed(leadingTo other: RelationPlan) -> [Int] {
    fields.indices.filter { index in
      let field = fields[index]
      return field.leads(to: other.key) && !field.isOneWay && field.namedInverses[other.key] == nil
        && !other.fields.contains { $0.namedInverses[key]?.offset == field.offset }
    }
  }

  private func path(_ index: Int) -> String { "\(type).\(fields[index].name)" }
}

extension StoredRelation {
  /// Whether a rule names `other`, a property of `owner`, as the inverse of this one.
  fileprivate func names(_ other: Self, of owner: RelationPlan) -> Bool {
    leads(to: owner.key) && namedInverses[owner.key].map { $0.offset == other.offset } == true
  }
}

private protocol OptionalRelation {}

extension Optional: OptionalRelation where Wrapped: RelationProperty {}
