internal import TapedeckHTTP

/// Any JSON:API document other than one of errors: resources of different types, identifiers, `null`, meta information
/// alone. `JSONAPISerializer` is the short way for entities of one type.
///
/// Served as `application/vnd.api+json`. Errors: a `SerializationError` where an entity cannot be written.
/// Source: JSON:API 1.1 §5.1.
public struct JSONAPIDocument: MediaTyped {
  /// The member `data`.
  public enum PrimaryData {
    /// There is none: then there must be `meta`.
    case none
    /// Nil is `null`.
    case resource((any JSONAPIEntity)?)
    /// Several resources.
    case resources([any JSONAPIEntity])
    /// Nil is `null`.
    case identifier(JSONAPIIdentifier?)
    /// Several resource identifiers.
    case identifiers([JSONAPIIdentifier])
  }

  /// The media type of all JSON:API documents.
  public static let mediaType = "application/vnd.api+json"

  /// Primary data as it is written.
  package enum Data {
    /// No member `data`.
    case none
    case one(ResourceNode?)
    case many([ResourceNode])
    case linkage(Linkage)
  }

  private typealias Resource = (identifier: JSONAPIIdentifier, content: ResourceContent)

  private let data: Data
  package var inclusion = JSONAPIInclusion.none
  /// Where to begin including when primary data is linkage.
  package var linked: [ResourceNode] = []
  /// The fields to write, by type; all of a type that is not there.
  package var fields: [String: Set<String>] = [:]
  package var links: LinkTable?
  package var meta: (any Serializable)?
  private var jsonapi: JSONAPIObject?

  package init(_ data: Data) { self.data = data }

  /// - Parameters:
  ///   - links: of the document itself; nil leaves the member out.
  ///   - meta: any object.
  ///   - jsonapi: what the server implements.
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
      var pending = inclusion.following(resource.content)
      while let (node, next) = pending.popLast() {
        let isNew = known.insert(node.identifier).inserted
        guard isNew || next.goesOnFromKnown else { continue }
        let content = try node.content(&run)
        if isNew { included.append((node.identifier, content)) }
        pending += next.following(content)
      }
    }
    return included
  }
}

/// The member `jsonapi`: what the server implements (JSON:API 1.1 §5.7).
public struct JSONAPIObject: Sendable {
  /// The highest version that the server supports.
  public var version: String
  /// URIs of the extensions that are applied.
  public var ext: [String]
  /// URIs of the profiles that are applied.
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
