public import TapedeckHTTP

/// How entities look on the wire in an API of a certain style, and how they are read back.
///
/// Three are ready-made: `RESTSerializer` with and without a root, in any spelling of keys, and `HALSerializer`. JSON:API
/// is more than a look: see `Router.jsonAPI`.
public protocol ResourceSerializer: Sendable {
  /// The media type of answers that carry entities.
  var contentType: String { get }

  func document(of resource: ResourceView) -> JSONValue
  func document(of list: ResourceListView) -> JSONValue

  /// The object in a request's body whose members are those of an entity; nil where there is none.
  func entity(in body: JSONValue, of type: String) -> JSONValue?

  /// How a property is spelled on the wire. Requests are read by the same rule.
  func key(for property: String) -> String

  /// How the property that holds the ids of a relationship is spelled. Requests are read by the same rule.
  func key(forIDs property: String, isToMany: Bool) -> String

  /// The relationships whose entities the serializer wants to see, with dots for those of these: `author.company`.
  var included: [String] { get }
}

extension ResourceSerializer {
  public func entity(in body: JSONValue, of type: String) -> JSONValue? { body.members == nil ? nil : body }

  public func key(for property: String) -> String { property }

  public func key(forIDs property: String, isToMany: Bool) -> String { key(for: property) }

  public var included: [String] { [] }
}

/// An entity, for serializers.
public struct ResourceView: Sendable {
  public struct Related: Sendable {
    public let name: String
    /// The property that holds the ids.
    public let property: String?
    public let isToMany: Bool
    public let ids: [String]
    /// The URLs of the related entities, in the order of their ids; empty where their type is not served.
    public let urls: [String]
    /// Whether the serializer wants to see the related entities.
    public let isIncluded: Bool
    /// These, if so.
    public let resources: [ResourceView]
  }

  /// The Swift type's name, beginning with a small letter: `article`.
  public let type: String
  /// Its plural: `articles`.
  public let collection: String
  public let id: String
  /// The entity as it is encoded: id, attributes, and the ids of what it relates to.
  public let members: [JSONMember]
  public let relationships: [Related]
  /// A path from the root of the host.
  public let url: String
  /// What the entity's type is to be written by.
  public let serializer: any ResourceSerializer
}

/// A part of a collection, for serializers.
public struct ResourceListView: Sendable {
  public let type: String
  /// The last step of the collection's path, like `articles`.
  public let name: String
  public let resources: [ResourceView]
  /// How many there are on all pages.
  public let total: Int
  /// Which page it is, from 1; how many there are; and how many resources fit on one.
  public let page: Int
  public let pages: Int
  public let size: Int
  /// The request's own URL and those of other pages: `self`, `first`, `prev`, `next`, `last`, as far as there are.
  public let links: [(name: String, url: String)]
  /// The next page and the one before, as whole addresses where the client's own is known; nil where there is none.
  let next: String?
  let previous: String?
}
