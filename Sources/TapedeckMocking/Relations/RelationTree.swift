/// Paths of relations as a tree: `author`, `comments.author`.
package struct RelationTree: Sendable {
  package private(set) var branches: [(name: String, tree: RelationTree)] = []

  package subscript(name: String) -> RelationTree? { branches.first { $0.name == name }?.tree }

  /// - Parameter paths: names of relations, with dots between them.
  package init(_ paths: [String]) {
    for path in paths { add(path.split(separator: ".")[...]) }
  }

  /// Throws for a name that is no relation of the type that it is asked of.
  init(_ paths: [String], of type: any Storable.Type) throws(StoreError) {
    self.init(paths)
    try check([type])
  }

  private mutating func add(_ path: ArraySlice<Substring>) {
    guard let first = path.first.map(String.init) else { return }
    let index = branches.firstIndex { $0.name == first } ?? branches.count
    if index == branches.count { branches.append((first, RelationTree([]))) }
    branches[index].tree.add(path.dropFirst())
  }

  private func check(_ types: [any Storable.Type]) throws(StoreError) {
    let fields = types.flatMap { RelationPlan.of($0).fields }
    for (name, tree) in branches {
      let named = fields.filter { $0.name == name }
      if named.isEmpty { throw .badRelation(type: types.listed, id: "", relation: name, .noRelation) }
      try tree.check(named.flatMap(\.targets))
    }
  }
}
