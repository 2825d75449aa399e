internal import Synchronization

/// The relations of one type, found out once: where they lie, where they lead, and what leads back.
final class RelationPlan: Sendable {
  struct Field: Sendable {
    let index: Int
    let name: String
    let offset: Int
    let isToMany: Bool
    let cascades: Bool
    let targets: [any Storable.Type]
    /// The index of the property that leads back, by target; a target that is missing here has none.
    let inverses: [ObjectIdentifier: Int]

    func leads(to type: ObjectIdentifier) -> Bool { targets.contains { ObjectIdentifier($0) == type } }

    func leadsOneWay(to type: ObjectIdentifier) -> Bool { leads(to: type) && inverses[type] == nil }

    func name(ofTarget type: ObjectIdentifier) -> String {
      targets.first { ObjectIdentifier($0) == type }.map { "\($0)" } ?? "stranger"
    }
  }

  let type: any Storable.Type
  let fields: [Field]
  /// What is wrong with the declarations.
  let problem: (relation: String, problem: RelationProblem)?

  fileprivate init(_ declaration: RelationDeclaration, lookup: (any Storable.Type) -> RelationDeclaration) {
    type = declaration.type
    var problems = declaration.problems
    var fields: [Field] = []
    for (index, field) in declaration.fields.enumerated() {
      var inverses: [ObjectIdentifier: Int] = [:]
      for target in field.targets {
        do throws(RelationProblem) {
          let finder = InverseFinder(owner: declaration, target: lookup(target))
          inverses[ObjectIdentifier(target)] = try finder.inverse(of: field)
        } catch {
          problems.append((field.name, error))
        }
      }
      fields.append(
        Field(
          index: index, name: field.name, offset: field.offset, isToMany: field.isToMany,
          cascades: field.cascades, targets: field.targets, inverses: inverses))
    }
    self.fields = fields
    problem = problems.first
  }

  var key: ObjectIdentifier { ObjectIdentifier(type) }
}

/// The plans of all types that were ever stored.
enum RelationPlans {
  private static let known = Mutex<[ObjectIdentifier: RelationPlan]>([:])

  /// Not to be asked for the first time where a lock is held: it runs the type's own `relations`.
  static func plan<T: Storable>(of type: T.Type) -> RelationPlan {
    let key = ObjectIdentifier(type)
    if let plan = known.withLock({ $0[key] }) { return plan }
    let plan = RelationPlan(RelationDeclaration(type)) { declaration(of: $0) }
    return known.withLock { known in
      if let earlier = known[key] { return earlier }
      known[key] = plan
      return plan
    }
  }

  static func plan(ofType type: any Storable.Type) -> RelationPlan {
    func opened<T: Storable>(_ type: T.Type) -> RelationPlan { plan(of: type) }
    return _openExistential(type, do: opened)
  }

  private static func declaration(of type: any Storable.Type) -> RelationDeclaration {
    func opened<T: Storable>(_ type: T.Type) -> RelationDeclaration { RelationDeclaration(type) }
    return _openExistential(type, do: opened)
  }
}
