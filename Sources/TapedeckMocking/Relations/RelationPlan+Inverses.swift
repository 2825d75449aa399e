/// Finds the property by which a relation's targets lead back: the one that a rule names on either side, or else the
/// only candidate, provided that it could not be the inverse of another property too. Without a candidate the relation
/// leads one way.
extension RelationPlan {
  /// The index of the target's property; nil for none.
  func inverse(of field: Field, in target: RelationPlan) throws(RelationProblem) -> Int? {
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
    of field: Field, in target: RelationPlan, _ claimants: [Int]
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

  private func guessedInverse(of field: Field, in target: RelationPlan) throws(RelationProblem) -> Int? {
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

  /// The properties that lead to `other` and that no rule of either side mentions.
  private func unclaimed(leadingTo other: RelationPlan) -> [Int] {
    fields.indices.filter { index in
      let field = fields[index]
      return field.leads(to: other.key) && !field.isOneWay && field.namedInverses[other.key] == nil
        && !other.fields.contains { $0.namedInverses[key]?.offset == field.offset }
    }
  }

  private func path(_ index: Int) -> String { "\(type).\(fields[index].name)" }
}

extension RelationPlan.Field {
  /// Whether a rule names `other`, a property of `owner`, as the inverse of this one.
  fileprivate func names(_ other: Self, of owner: RelationPlan) -> Bool {
    leads(to: owner.key) && namedInverses[owner.key].map { $0.offset == other.offset } == true
  }
}
