internal import TapedeckHTTP

/// A JSON:API document other than one of errors (JSON:API 1.1 §5.1), served as `application/vnd.api+json`.
/// `JSONAPISerializer` is shorter for entities of one type.
public struct JSONAPIDocument: MediaTyped {
  /// The member `data`.
  public enum PrimaryData {
    /// No member `data`; `meta` is then required.
    case none
    /// A resource; `nil` is written as `null`.
    case resource((any JSONAPIEntity)?)
    /// Several resources.
    case resources([any JSONAPIEntity])
    /// A resource identifier; `nil` is written as `null`.
    case identifier(JSONAPIIdentifier?)
    /// Several resource identifiers.
    case identifiers([JSONAPIIdentifier])
  }

  /// The media type of all JSON:API documents.
  public static let mediaType = "application/vnd.api+json"

  package enum Data {
    case none
    case one(ResourceNode?)
    case many([ResourceNode])
    case linkage(Linkage)
  }

  private typealias Resource = (identifier: JSONAPIIdentifier, content: ResourceContent)

  private let data: Data
  package var inclusion = JSONAPIInclusion.none
  /// The resources from which inclusion starts when the primary data is linkage.
  package var linked: [ResourceNode] = []
  /// The fields to write, by type; a type that is missing has all fields written.
  package var fields: [String: Set<String>] = [:]
  package var links: LinkTable?
  package var meta: (any Serializable)?
  private var jsonapi: JSONAPIObject?

  package init(_ data: Data) { self.data = data }

  /// Creates a document; members that are `nil` are left out.
  public init(
    _ data: PrimaryData, inclusion: JSONAPIInclusion = .none, links: [String: JSONAPILink]? = nil,
    meta: (any Serializable)? = nil, jsonapi: JSONAPIObject? = nil
  ) {
    self.data =
      switch data {
      case .none: .none
      case .resource(let entity): .one(entity.map { ResourceNode($0) })
      case .resources(let entities): .many(entities.map { ResourceNode($0) })
      case .identifier(let identifier): .linkage(.one(identifier))
      case .identifiers(let identifiers): .linkage(.many(identifiers))
      }
    self.inclusion = inclusion
    self.links = links.map { LinkTable($0) }
    self.meta = meta
    self.jsonapi = jsonapi
  }

  public var contentType: String { Self.mediaType }

  private func objects(_ resources: [Resource]) -> [JSONAPIMembers] {
    resources.map { $0.content.object($0.identifier, fields: fields[$0.identifier.type]) }
  }
}

extension JSONAPIDocument: Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    let nodes: [ResourceNode] =
      switch data {
      case .none: []
      case .one(let node): node.map { [$0] } ?? []
      case .many(let nodes): nodes
      case .linkage: linked
      }
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
    return try JSONAPIMembers(
      ("data", data), ("included", inclusion.followsPaths || !included.isEmpty ? objects(included) : nil),
      ("links", links), ("meta", meta), ("jsonapi", jsonapi)
    ).write(to: &run)
  }

  /// The included resources, each once, in depth-first order. Iterative, because chains may be long.
  private func included(
    besides primary: [Resource], _ run: inout SerializationRun
  ) throws(SerializationError) -> [Resource] {
    var included: [Resource] = []
    var known: Set<JSONAPIIdentifier> = []
    if case .linkage = data {} else { known.formUnion(primary.map(\.identifier)) }
    for resource in primary {
      var pending = inclusion.following(resource.content)
      while let (node, next) = pending.popLast() {
        let isNew = known.insert(node.identifier).inserted
        guard isNew || next.followsPaths else { continue }
        let content = try node.content(&run)
        if isNew { included.append((node.identifier, content)) }
        pending += next.following(content)
      }
    }
    return included
  }
}

/// The member `jsonapi`, which describes the server (JSON:API 1.1 §5.7).
public struct JSONAPIObject: Sendable {
  /// The highest version that the server supports.
  public var version: String
  /// The URIs of the extensions in use.
  public var ext: [String]
  /// The URIs of the profiles in use.
  public var profile: [String]
  /// Meta information about the server.
  public var meta: (any Serializable & Sendable)?

  /// Creates the member; empty lists are left out.
  public init(
    version: String = "1.1", ext: [String] = [], profile: [String] = [],
    meta: (any Serializable & Sendable)? = nil
  ) {
    self.version = version
    self.ext = ext
    self.profile = profile
    self.meta = meta
  }
}

extension JSONAPIObject: Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    try JSONAPIMembers(
      ("version", version), ("ext", ext.isEmpty ? nil : ext), ("profile", profile.isEmpty ? nil : profile),
      ("meta", meta)
    ).write(to: &run)
  }
}

/// The related resources in a compound document (JSON:API 1.1 §5.3).
public enum JSONAPIInclusion: Sendable {
  /// No related resources.
  case none
  /// The resources that are related to the primary data.
  case related
  /// Every resource that can be reached from the primary data.
  case everything
  /// The resources on paths like `comments.author`, each step included; writes `included` even if empty.
  case paths([String])
}

extension JSONAPIInclusion {
  /// The related resources to include, each with the inclusion that continues from it, in reverse order.
  func following(_ content: ResourceContent) -> [(node: ResourceNode, next: JSONAPIInclusion)] {
    content.relationships.reversed().flatMap { relationship in
      following(relationship.name).map { next in relationship.related.reversed().map { ($0, next) } } ?? []
    }
  }

  private func following(_ relationship: String) -> JSONAPIInclusion? {
    switch self {
    case .none: return nil
    case .related: return JSONAPIInclusion.none
    case .everything: return .everything
    case .paths(let paths):
      let steps = paths.map { $0.split(separator: ".", maxSplits: 1) }
        .filter { $0.first == relationship[...] }
      return steps.isEmpty ? nil : .paths(steps.map { $0.count > 1 ? String($0[1]) : "" })
    }
  }

  /// Whether a resource must be followed again when it is met twice. Paths end, graphs may not.
  var followsPaths: Bool {
    if case .paths = self { true } else { false }
  }
}

/// Entities of one type as a JSON:API document: `return JSONAPISerializer(user)`.
///
/// Includes the entities related to the primary ones, or with `includingChildren` all that can be reached,
/// each once. An entity with its own `customSerialized` is still written as a resource. Source: Kakapo.
public struct JSONAPISerializer<T: JSONAPIEntity>: MediaTyped {
  private let objects: [T]
  private let isArray: Bool
  private let links: [String: JSONAPILink]?
  private let meta: (any Serializable & Sendable)?
  private let includingChildren: Bool

  /// - Parameter object: `nil` is written as `data: null`.
  public init(
    _ object: T?, topLevelLinks: [String: JSONAPILink]? = nil,
    topLevelMeta: (any Serializable & Sendable)? = nil, includingChildren: Bool = false
  ) {
    objects = object.map { [$0] } ?? []
    isArray = false
    links = topLevelLinks
    meta = topLevelMeta
    self.includingChildren = includingChildren
  }

  /// Creates a serializer for several entities.
  public init(
    _ objects: [T], topLevelLinks: [String: JSONAPILink]? = nil,
    topLevelMeta: (any Serializable & Sendable)? = nil, includingChildren: Bool = false
  ) {
    self.objects = objects
    isArray = true
    links = topLevelLinks
    meta = topLevelMeta
    self.includingChildren = includingChildren
  }

  public var contentType: String { JSONAPIDocument.mediaType }
}

extension JSONAPISerializer: Sendable where T: Sendable {}

extension JSONAPISerializer: Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    let document = JSONAPIDocument(
      isArray ? .resources(objects) : .resource(objects.first),
      inclusion: includingChildren ? .everything : .related, links: links, meta: meta)
    return try document.write(to: &run)
  }
}
