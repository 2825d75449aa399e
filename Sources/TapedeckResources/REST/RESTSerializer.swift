public import TapedeckHTTP
public import TapedeckMocking

/// Entities as objects: `{"id": "1", "title": "…", "authorID": "7"}`.
///
/// ```swift
/// RESTSerializer(style: .snake, hasRoot: true)                           // {"article": {"author_id": "7", …}}
/// RESTSerializer(attributes: ["title"], include: ["author.company"])     // {"id": "1", "title": "…", "author": {…}}
/// RESTSerializer(hasRoot: true, include: ["author"], embeds: false)      // {"article": {…}, "users": [{…}]}
/// ```
///
/// An entity inside another one is written by the serializer of its own type, if that is a `RESTSerializer` too.
public struct RESTSerializer: ResourceSerializer {
  /// When the ids of what an entity relates to are written.
  public enum RelatedIDs: Sendable {
    /// In every document.
    case always
    /// Of the relationships that `include` names.
    case included
    /// In no document.
    case never
  }

  /// Spellings that differ from the style.
  public struct Keys: Sendable {
    /// Makes a key of a name.
    public typealias Spelling = @Sendable (String) -> String

    /// Of the root of an entity, given the type's name: `article`.
    public var entity: Spelling?
    /// Of the root of a list, given the plural: `articles`.
    public var collection: Spelling?
    /// Of an attribute, given the property.
    public var attribute: Spelling?
    /// Of a relationship whose entities stand inside of the one that has it.
    public var relationship: Spelling?
    /// Of the ids of a relationship, given the property that holds them, and whether there may be several.
    public var ids: (@Sendable (_ property: String, _ isToMany: Bool) -> String)?

    /// Creates spellings.
    public init(
      entity: Spelling? = nil, collection: Spelling? = nil, attribute: Spelling? = nil,
      relationship: Spelling? = nil, ids: (@Sendable (_ property: String, _ isToMany: Bool) -> String)? = nil
    ) {
      self.entity = entity
      self.collection = collection
      self.attribute = attribute
      self.relationship = relationship
      self.ids = ids
    }
  }

  private let style: KeyStyle?
  private let hasRoot: Bool
  private let attributes: Set<String>?
  public let included: [String]
  private let embeds: Bool
  private let ids: RelatedIDs
  private let primaryKey: String
  private let keys: Keys

  /// - Parameters:
  ///   - style: the spelling of an entity's own keys; nil for that of Swift.
  ///   - hasRoot: whether entities stand under their name: `{"article": {…}}`, `{"articles": […], "meta": {"total": 2}}`.
  ///   - attributes: the ones to write; nil for all. Requests may send all.
  ///   - include: relationships whose entities are written too, with dots for nested ones: `author.company`.
  ///   - embeds: whether these stand inside the entity, or beside it, each once. Without a root they stand inside.
  ///   - ids: when the ids of what an entity relates to are written, where it does not stand inside.
  ///   - primaryKey: the name of the id.
  ///   - keys: spellings that differ from the style.
  public init(
    style: KeyStyle? = nil, hasRoot: Bool = false, attributes: Set<String>? = nil, include: [String] = [],
    embeds: Bool = true, ids: RelatedIDs = .always, primaryKey: String = "id", keys: Keys = Keys()
  ) {
    self.style = style
    self.hasRoot = hasRoot
    self.attributes = attributes
    included = include
    self.embeds = embeds || !hasRoot
    self.ids = ids
    self.primaryKey = primaryKey
    self.keys = keys
  }

  public var contentType: String { "application/json" }

  private func spelled(_ name: String, _ own: Keys.Spelling?) -> String {
    own?(name) ?? style?.transform(name) ?? name
  }

  public func key(for property: String) -> String {
    property == "id" ? primaryKey : spelled(property, keys.attribute)
  }

  public func key(forIDs property: String, isToMany: Bool) -> String {
    keys.ids?(property, isToMany) ?? style?.transform(property) ?? property
  }

  // MARK: Writing

  /// The document of one resource.
  public func document(of resource: ResourceView) -> JSONValue {
    guard hasRoot else { return object(resource) }
    let root = JSONMember(JSONString(spelled(resource.type, keys.entity)), object(resource))
    return .object([root] + groups(beside: [resource], of: []))
  }

  /// The document of a list.
  public func document(of list: ResourceListView) -> JSONValue {
    guard hasRoot else { return .array(list.resources.map { object($0) }) }
    let first = (name: spelled(list.name, keys.collection), objects: list.resources.map { object($0) })
    let meta = JSONMember("meta", ["total": JSONValue(list.total)])
    return .object(groups(beside: list.resources, of: [first]) + [meta])
  }

  /// The entities that stand beside these: each once, by type, in the order in which they are met.
  private func groups(
    beside resources: [ResourceView], of first: [(name: String, objects: [JSONValue])]
  ) -> [JSONMember] {
    var groups = first
    var met = Set(resources.map { [$0.type, $0.id] })
    var waiting = embeds ? [] : Array(resources.reversed())
    while let resource = waiting.popLast() {
      let related = resource.relationships.flatMap(\.resources)
      for related in related where met.insert([related.type, related.id]).inserted {
        let name = spelled(related.collection, keys.collection)
        if let index = groups.firstIndex(where: { $0.name == name }) {
          groups[index].objects.append(object(related))
        } else {
          groups.append((name, [object(related)]))
        }
      }
      waiting += related.reversed()
    }
    return groups.map { JSONMember(JSONString($0.name), .array($0.objects)) }
  }

  private func object(_ resource: ResourceView, embeds: Bool? = nil) -> JSONValue {
    let own = resource.serializer as? RESTSerializer ?? self
    return .object(own.members(resource, embeds: embeds ?? self.embeds))
  }

  private func members(_ resource: ResourceView, embeds: Bool) -> [JSONMember] {
    var written: [JSONMember] = []
    var rest = resource.relationships
    for member in resource.members {
      let name = member.name.text
      if let index = rest.firstIndex(where: { $0.property == name }) {
        written += self.member(of: rest.remove(at: index), member.value, embeds: embeds)
      } else if name == "id" || attributes?.contains(name) != false {
        written.append(JSONMember(JSONString(key(for: name)), member.value))
      }
    }
    // Relationships without a property, or whose property was left out because it is nil.
    for related in rest where related.isIncluded {
      let ids = related.ids.map { JSONValue($0) }
      written += member(of: related, related.isToMany ? .array(ids) : ids.first ?? .null, embeds: embeds)
    }
    return written
  }

  private func member(
    of related: ResourceView.Related, _ ids: JSONValue, embeds: Bool
  ) -> [JSONMember] {
    if related.isIncluded, embeds {
      let objects = related.resources.map { object($0, embeds: true) }
      let name = JSONString(spelled(related.name, keys.relationship))
      return [JSONMember(name, related.isToMany ? .array(objects) : objects.first ?? .null)]
    }
    guard self.ids == .always || (self.ids == .included && related.isIncluded) else { return [] }
    let key = key(forIDs: related.property ?? related.name, isToMany: related.isToMany)
    return [JSONMember(JSONString(key), ids)]
  }

  // MARK: Reading

  public func entity(in body: JSONValue, of type: String) -> JSONValue? {
    let entity = hasRoot ? body[spelled(type, keys.entity)] : body
    return entity?.members == nil ? nil : entity
  }
}

extension ResourceSerializer where Self == RESTSerializer {
  /// Plain objects, keys as in Swift.
  public static var rest: RESTSerializer { RESTSerializer() }
  /// Objects under their name, keys like `author_id`.
  public static var snakeCase: RESTSerializer { RESTSerializer(style: .snake, hasRoot: true) }
}
