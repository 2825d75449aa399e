/// An entity with links of its own, and with links of its relationships (JSON:API 1.1 §5.6). Source: Kakapo.
public protocol JSONAPILinkedEntity {
  /// The resource's links; nil or none leave the member out.
  var links: [String: JSONAPILink]? { get }

  /// The links of relationships, by the names of the properties. A relationship that is left out has none.
  var relationshipsLinks: [String: [String: JSONAPILink]]? { get }
}

extension JSONAPILinkedEntity {
  public var links: [String: JSONAPILink]? { nil }
  public var relationshipsLinks: [String: [String: JSONAPILink]]? { nil }
}

/// An entity with meta information of its own and of its relationships (JSON:API 1.1 §5.2, §5.2.2).
public protocol JSONAPIMetaEntity {
  var meta: (any Serializable)? { get }

  /// The meta information of relationships, by the names of the properties.
  var relationshipsMeta: [String: any Serializable]? { get }
}

extension JSONAPIMetaEntity {
  public var meta: (any Serializable)? { nil }
  public var relationshipsMeta: [String: any Serializable]? { nil }
}
