internal import TapedeckHTTP

/// A document about to be written (JSON:API 1.1 §5.1).
package struct DocumentContent {
  package enum Data {
    /// No member `data`.
    case none
    case one(ResourceNode?)
    case many([ResourceNode])
    case linkage(Linkage)
  }

  private typealias Resource = (identifier: JSONAPIIdentifier, content: ResourceContent)

  let data: Data
  package var inclusion = JSONAPIInclusion.none
  /// Where to begin including when primary data is linkage.
  package var linked: [ResourceNode] = []
  /// The fields to write, by type; all of a type that is not there.
  package var fields: [String: Set<String>] = [:]
  package var links: LinkTable?
  package var meta: (any Serializable)?
  var jsonapi: JSONAPIObject?

  package init(_ data: Data) { self.data = data }

  package func bytes() throws(SerializationError) -> [UInt8] {
    var run = SerializationRun()
    _ = try write(to: &run)
    return run.out
  }

  private func objects(_ resources: [Resource]) -> [JSONAPIMembers] {
    resources.map { $0.content.object($0.identifier, fields: fields[$0.identifier.type]) }
  }
}

extension DocumentContent: Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    let nodes: [ResourceNode] =
      switch data {
      case .none: []
      case .one(let node): node.map { [$0] } ?? []
      case .many(let nodes): nodes
      case .linkage: linked
      }
    return try run.nested { run throws(SerializationError) in
      var primary: [Resource] = []
      for node in nodes { primary.append((node.identifier, try node.content(&run))) }
      let included = try included(besides: primary, &run)
      let data: Any? =
        switch data {
        case .none: nil
        case .one: objects(primary).first ?? JSONValue.null
        case .many: objects(primary)
        case .linkage(let linkage): linkage.data
        }
      let inclusion = InclusionStep(inclusion)
      return try JSONAPIMembers(
        ("data", data),
        ("included", inclusion.isAlwaysWritten || !included.isEmpty ? objects(included) : nil),
        ("links", links), ("meta", meta), ("jsonapi", jsonapi)
      ).write(to: &run)
    }
  }

  /// What a compound document includes: every resource once, none that is primary, in the order in which they are first
  /// met, depth first. Each is reached through the linkage of primary data or of another included one, which is full
  /// linkage. Iterative, because chains may be long.
  private func included(
    besides primary: [Resource], _ run: inout SerializationRun
  ) throws(SerializationError) -> [Resource] {
    var included: [Resource] = []
    var known: Set<JSONAPIIdentifier> = []
    if case .linkage = data {} else { known.formUnion(primary.map(\.identifier)) }
    for resource in primary {
      var pending = InclusionStep(inclusion).following(resource.content)
      while let (node, step) = pending.popLast() {
        let isNew = known.insert(node.identifier).inserted
        guard isNew || step.goesOnFromKnown else { continue }
        let content = try node.content(&run)
        if isNew { included.append((node.identifier, content)) }
        pending += step.following(content)
      }
    }
    return included
  }
}
