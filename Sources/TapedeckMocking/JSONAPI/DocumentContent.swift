/// A document about to be written (JSON:API 1.1 §5.1).
package struct DocumentContent {
  package enum Data {
    /// No member `data`.
    case none
    case one(ResourceNode?)
    case many([ResourceNode])
    case linkage(Linkage)
  }

  var data: Data
  package var inclusion = JSONAPIInclusion.none
  /// Where to begin including when primary data is linkage.
  package var linked: [ResourceNode] = []
  /// The fields of a type to be written, by its name; all of a type that is not there.
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
}

extension DocumentContent: Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    try run.nested { run throws(SerializationError) in
      let inclusion = InclusionStep(inclusion)
      var compound = CompoundDocument(inclusion)
      let primary = try compound.add(primary: nodes, isData: !isLinkage, &run)
      run.out.append(UInt8(ascii: "{"))
      try writeData(primary, &run)
      if inclusion.isAlwaysWritten || !compound.included.isEmpty {
        try run.member("included") { run throws(SerializationError) in try write(compound.included, &run) }
      }
      try run.write(links: links)
      try run.write(meta: meta)
      if let jsonapi {
        try run.member("jsonapi") { run throws(SerializationError) in try jsonapi.write(to: &run) }
      }
      run.out.append(UInt8(ascii: "}"))
    }
    return true
  }

  private var isLinkage: Bool {
    if case .linkage = data { true } else { false }
  }

  private var nodes: [ResourceNode] {
    switch data {
    case .none: []
    case .one(let node): node.map { [$0] } ?? []
    case .many(let nodes): nodes
    case .linkage: linked
    }
  }

  private func writeData(
    _ primary: [CompoundDocument.Resource], _ run: inout SerializationRun
  ) throws(SerializationError) {
    switch data {
    case .none: return
    case .linkage(let linkage):
      try run.member("data") { run throws(SerializationError) in try linkage.write(to: &run) }
    case .one:
      try run.member("data") { run throws(SerializationError) in
        guard let resource = primary.first else {
          run.write(literal: "null")
          return true
        }
        try write(resource, &run)
        return true
      }
    case .many:
      try run.member("data") { run throws(SerializationError) in try write(primary, &run) }
    }
  }

  private func write(
    _ resources: [CompoundDocument.Resource], _ run: inout SerializationRun
  ) throws(SerializationError) -> Bool {
    run.out.append(UInt8(ascii: "["))
    for index in resources.indices {
      try run.element(index) { run throws(SerializationError) in
        try write(resources[index], &run)
        return true
      }
    }
    run.out.append(UInt8(ascii: "]"))
    return true
  }

  private func write(
    _ resource: CompoundDocument.Resource, _ run: inout SerializationRun
  ) throws(SerializationError) {
    try resource.content.write(resource.identifier, fields: fields[resource.identifier.type], to: &run)
  }
}

/// Collects what a compound document includes: every resource once, none that is primary, in the order in which they
/// are first met, depth first. Every one is reached through the linkage of primary data or of another included
/// one, which is full linkage.
struct CompoundDocument {
  typealias Resource = (identifier: JSONAPIIdentifier, content: ResourceContent)

  private typealias Pending = (node: ResourceNode, step: InclusionStep)

  private(set) var included: [Resource] = []
  private let inclusion: InclusionStep
  private var known: Set<JSONAPIIdentifier> = []

  init(_ inclusion: InclusionStep) { self.inclusion = inclusion }

  /// The resources with what is in them. Those they relate to are included.
  /// - Parameter isData: whether they stand in the document themselves.
  mutating func add(
    primary nodes: [ResourceNode], isData: Bool, _ run: inout SerializationRun
  ) throws(SerializationError) -> [Resource] {
    var primary: [Resource] = []
    for node in nodes { primary.append((node.identifier, try node.content(&run))) }
    if isData { known.formUnion(nodes.map(\.identifier)) }
    for resource in primary {
      try include(follow(resource.content.relationships, inclusion), &run)
    }
    return primary
  }

  /// What the relationships lead to as far as it is included, the first one last.
  private func follow(_ relationships: [RelationshipContent], _ step: InclusionStep) -> [Pending] {
    relationships.reversed().flatMap { relationship -> [Pending] in
      guard let next = step.following(relationship.name) else { return [] }
      return relationship.related.reversed().map { ($0, next) }
    }
  }

  /// Goes into the depth without recursion: chains may be long.
  private mutating func include(
    _ start: [Pending], _ run: inout SerializationRun
  ) throws(SerializationError) {
    var pending = start
    while let (node, step) = pending.popLast() {
      let isNew = known.insert(node.identifier).inserted
      guard isNew || step.goesOnFromKnown else { continue }
      let content = try node.content(&run)
      if isNew { included.append((node.identifier, content)) }
      pending += follow(content.relationships, step)
    }
  }
}
