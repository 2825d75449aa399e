/// Entities of one type as a JSON:API document: `return JSONAPISerializer(user)`.
///
/// Related entities are included: those of the primary ones, with `includingChildren` all that can be reached. Each is
/// there once, carries its own relationships, and comes in the order in which it is first met.
///
/// Served as `application/vnd.api+json`. An entity that is a `CustomSerializable` of its own is written here as a
/// resource all the same. Errors: a `SerializationError` where an entity cannot be written. Source: Kakapo.
public struct JSONAPISerializer<T: JSONAPIEntity>: MediaTyped {
  private let objects: [T]
  private let isArray: Bool
  private let links: [String: JSONAPILink]?
  private let meta: (any Serializable & Sendable)?
  private let includingChildren: Bool

  /// - Parameter object: nil gives `data: null`.
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

  /// Creates a serializer for an entity, or for several.
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
