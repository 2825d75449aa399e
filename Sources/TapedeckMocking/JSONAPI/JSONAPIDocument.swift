internal import TapedeckHTTP

/// Any JSON:API document other than one of errors: resources of different types, identifiers, `null`, meta information
/// alone. `JSONAPISerializer` is the short way for entities of one type.
///
/// Served as `application/vnd.api+json`. Errors: a `SerializationError` where an entity cannot be written.
/// Source: JSON:API 1.1 §5.1.
public struct JSONAPIDocument: MediaTyped {
  public enum PrimaryData {
    /// There is none: then there must be `meta`.
    case none
    /// Nil is `null`.
    case resource((any JSONAPIEntity)?)
    case resources([any JSONAPIEntity])
    /// Nil is `null`.
    case identifier(JSONAPIIdentifier?)
    case identifiers([JSONAPIIdentifier])
  }

  public static let mediaType = "application/vnd.api+json"

  private var content: DocumentContent

  /// - Parameters:
  ///   - links: of the document itself; nil leaves the member out.
  ///   - meta: any object.
  ///   - jsonapi: what the server implements.
  public init(
    _ data: PrimaryData, inclusion: JSONAPIInclusion = .none, links: [String: JSONAPILink]? = nil,
    meta: (any Serializable)? = nil, jsonapi: JSONAPIObject? = nil
  ) {
    let primary: DocumentContent.Data =
      switch data {
      case .none: .none
      case .resource(let entity): .one(entity.map { ResourceNode($0) })
      case .resources(let entities): .many(entities.map { ResourceNode($0) })
      case .identifier(let identifier): .linkage(.one(identifier))
      case .identifiers(let identifiers): .linkage(.many(identifiers))
      }
    content = DocumentContent(primary)
    content.inclusion = inclusion
    content.links = links.map { LinkTable($0) }
    content.meta = meta
    content.jsonapi = jsonapi
  }

  public var contentType: String { Self.mediaType }
}

extension JSONAPIDocument: Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    try content.write(to: &run)
  }
}

/// The member `jsonapi`: what the server implements (JSON:API 1.1 §5.7).
public struct JSONAPIObject: Sendable {
  public var version: String
  /// URIs of the extensions that are applied.
  public var ext: [String]
  /// URIs of the profiles that are applied.
  public var profile: [String]
  public var meta: (any Serializable & Sendable)?

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
