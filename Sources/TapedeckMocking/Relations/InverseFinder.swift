/// Finds out by which property a relation's targets lead back.
///
/// What was named on either side holds. Otherwise it is the one property that could be it, provided that it could be the
/// inverse of no other one; none could: the relation leads one way.
struct InverseFinder {
  typealias Field = RelationDeclaration.Field

  let owner: RelationDeclaration
  let target: RelationDeclaration

  /// The index of the target's property; nil for none.
  func inverse(of field: Field) throws(RelationProblem) -> Int? {
    let claimants = target.fields.indices.filter { isNamed(field, byFieldAt: $0) }
    if field.isOneWay {
      guard let claimant = claimants.first else { return nil }
      throw .contradictoryInverse("it leads one way, and \(path(target, claimant)) names it")
    }
    if let named = field.namedInverses[ObjectIdentifier(target.type)] {
      return try check(named, of: field, claimants)
    }
    if claimants.count > 1 {
      throw .contradictoryInverse(claimants.map { path(target, $0) }.joined(separator: " and ") + " name it")
    }
    if let claimant = claimants.first { return claimant }
    return try guess(of: field)
  }

  private func isNamed(_ field: Field, byFieldAt index: Int) -> Bool {
    let candidate = target.fields[index]
    return candidate.leads(to: owner.type)
      && candidate.namedInverses[ObjectIdentifier(owner.type)]?.offset == field.offset
  }

  private func check(
    _ named: RelationDeclaration.Named, of field: Field, _ claimants: [Int]
  ) throws(RelationProblem) -> Int {
    guard let index = target.fields.firstIndex(where: { $0.offset == named.offset }),
      target.fields[index].leads(to: owner.type)
    else { throw .contradictoryInverse("\(named.name) does not lead to \(owner.type)") }
    let inverse = target.fields[index]
    if inverse.isOneWay { throw .contradictoryInverse("\(path(target, index)) leads one way") }
    if let other = inverse.namedInverses[ObjectIdentifier(owner.type)], other.offset != field.offset {
      throw .contradictoryInverse("\(path(target, index)) names \(other.name)")
    }
    if let rival = owner.fields.firstIndex(where: { isRival($0, of: field, for: inverse) }) {
      throw .contradictoryInverse("\(path(owner, rival)) names \(path(target, index)), too")
    }
    if let other = claimants.first(where: { $0 != index }) {
      throw .contradictoryInverse("\(path(target, other)) names it, and it names \(path(target, index))")
    }
    return index
  }

  private func isRival(_ other: Field, of field: Field, for inverse: Field) -> Bool {
    other.offset != field.offset
      && other.namedInverses[ObjectIdentifier(target.type)]?.offset == inverse.offset
  }

  private func guess(of field: Field) throws(RelationProblem) -> Int? {
    let candidates = unclaimed(of: target, leadingTo: owner)
    if candidates.isEmpty { return nil }
    let rivals = unclaimed(of: owner, leadingTo: target)
    guard candidates.count == 1, rivals.count == 1 else {
      throw .ambiguousInverse(
        candidates: candidates.count > 1
          ? candidates.map { path(target, $0) } : rivals.map { path(owner, $0) })
    }
    let isItsOwn = ObjectIdentifier(owner.type) == ObjectIdentifier(target.type)
    if isItsOwn && !field.isToMany {
      throw .ambiguousInverse(candidates: ["\(path(owner, candidates[0])) itself", "none"])
    }
    return candidates[0]
  }

  /// The properties of `one` that lead to `other`, and about which nothing was said on either side.
  private func unclaimed(of one: RelationDeclaration, leadingTo other: RelationDeclaration) -> [Int] {
    one.fields.indices.filter { index in
      let field = one.fields[index]
      let isClaimed = other.fields.contains { claimant in
        claimant.namedInverses[ObjectIdentifier(one.type)]?.offset == field.offset
      }
      return field.leads(to: other.type) && !field.isOneWay && !isClaimed
        && field.namedInverses[ObjectIdentifier(other.type)] == nil
    }
  }

  private func path(_ declaration: RelationDeclaration, _ index: Int) -> String {
    "\(declaration.type).\(declaration.fields[index].name)"
  }
}

extension RelationProblem: Error {}
