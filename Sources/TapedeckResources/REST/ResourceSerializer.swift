public import TapedeckHTTP
public import TapedeckMocking

/// Writes and reads entities in the representation of an API.
///
/// Ready-made: `RESTSerializer`, with and without a root and in any spelling of keys, and `HALSerializer`. JSON:API is
/// more than a representation of entities: see `Router.jsonAPI`.
public protocol ResourceSerializer: Sendable {
  /// The media type of responses that carry entities.
  var contentType: String { get }

  /// The document of one resource.
  func document(of resource: ResourceView) -> JSONValue
  /// The document of a list.
  func document(of list: ResourceListView) -> JSONValue

  /// The object in a request's body whose members are those of an entity; nil where there is none.
  func entity(in body: JSONValue, of type: String) -> JSONValue?

  /// The spelling of a property. Requests are read by the same rule.
  func key(for property: String) -> String

  /// The spelling of the property that holds the ids of a relationship. Requests are read by the same rule.
  func key(forIDs property: String, isToMany: Bool) -> String

  /// The relationships whose entities the serializer needs, with dots for nested ones: `author.company`.
  var included: [String] { get }
}

extension ResourceSerializer {
  public func entity(in body: JSONValue, of type: String) -> JSONValue? { body.members == nil ? nil : body }

  public func key(for property: String) -> String { property }

  public func key(forIDs property: String, isToMany: Bool) -> String { key(for: property) }

  public var included: [String] { [] }
}

/// A stored type that chooses its own representation: what `router.rest` serves it as, whatever that of the others.
///
/// ```swift
/// extension Article: SerializedResource {
///   static let serializer: any ResourceSerializer = RESTSerializer(attributes: ["title"], include: ["author"])
/// }
/// ```
public protocol SerializedResource: Storable {
  /// Writes entities of the type.
  static var serializer: any ResourceSerializer { get }
}

/// An entity, for serializers.
public struct ResourceView: Sendable {
  /// A relationship of the entity.
  public struct Related: Sendable {
    /// The name of the relationship.
    public let name: String
    /// The property that holds the ids.
    public let property: String?
    /// Whether it leads to several resources.
    public let isToMany: Bool
    /// The ids of the related entities.
    public let ids: [String]
    /// The URLs of the related entities, in the order of their ids; empty where their type is not served.
    public let urls: [String]
    /// Whether the serializer asked for the related entities.
    public let isIncluded: Bool
    /// The related entities, if so.
    public let resources: [ResourceView]
  }

  /// The Swift type's name, beginning with a small letter: `article`.
  public let type: String
  /// Its plural: `articles`.
  public let collection: String
  /// The id.
  public let id: String
  /// The entity as it is encoded: id, attributes, and the ids of what it relates to.
  public let members: [JSONMember]
  /// The relationships.
  public let relationships: [Related]
  /// A path from the root of the host.
  public let url: String
  /// The serializer of the entity's type.
  public let serializer: any ResourceSerializer
}

/// A part of a collection, for serializers.
public struct ResourceListView: Sendable {
  /// The name of the type.
  public let type: String
  /// The last segment of the collection's path, like `articles`.
  public let name: String
  /// The resources of the page.
  public let resources: [ResourceView]
  /// The number of resources on all pages.
  public let total: Int
  /// The number of the page, from 1; how many pages there are; and how many resources fit on one.
  public let page: Int
  /// How many pages there are.
  public let pages: Int
  /// How many resources fit on a page.
  public let size: Int
  /// The request's own URL and those of other pages: `self`, `first`, `prev`, `next`, `last`, as far as they exist.
  public let links: [(name: String, url: String)]
  /// The whole URLs of the next page and the one before, where the client's host is known; nil where there is none.
  let next: String?
  let previous: String?
}
