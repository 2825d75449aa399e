internal import TapedeckHTTP

/// A link: a URL, an object that says more about it, or `null` where there is none (JSON:API 1.1 §5.6).
public indirect enum JSONAPILink: Sendable {
  /// A URL.
  case simple(value: String)
  /// A link object.
  case object(href: String, meta: (any Serializable & Sendable)? = nil, details: Details = Details())
  /// No link.
  case null

  /// The optional members of a link object.
  public struct Details: Sendable {
    /// The link's relation type.
    public var rel: String?
    /// A link to a description document of the target.
    public var describedby: JSONAPILink?
    /// A label for people.
    public var title: String?
    /// The media type of the link's target.
    public var type: String?
    /// Languages (RFC 5646); a single one is written as text.
    public var hreflang: [String]

    /// Creates the members; nil ones are left out.
    public init(
      rel: String? = nil, describedby: JSONAPILink? = nil, title: String? = nil, type: String? = nil,
      hreflang: [String] = []
    ) {
      self.rel = rel
      self.describedby = describedby
      self.title = title
      self.type = type
      self.hreflang = hreflang
    }
  }
}

extension JSONAPILink: ExpressibleByStringLiteral {
  /// Creates a simple link from a literal.
  public init(stringLiteral value: String) { self = .simple(value: value) }
}

extension JSONAPILink: Serializable, Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    switch self {
    case .null: run.write(literal: "null")
    case .simple(let value): run.write(text: value)
    case .object(let href, let meta, let details):
      let languages: Any? = details.hreflang.count > 1 ? details.hreflang : details.hreflang.first
      let object = JSONAPIMembers(
        ("href", href), ("rel", details.rel), ("describedby", details.describedby), ("title", details.title),
        ("type", details.type), ("hreflang", languages), ("meta", meta))
      return try run.nested { run throws(SerializationError) in try object.write(to: &run) }
    }
    return true
  }
}

/// The links of a document, resource, relationship or error.
package struct LinkTable: Sendable, Writable {
  /// Names that JSON:API gives; transformers leave them.
  private static let known: Set<String> = [
    "self", "related", "describedby", "first", "last", "prev", "next", "about", "type",
  ]

  let links: [(name: String, link: JSONAPILink)]

  /// In the order of their names.
  package init(_ links: [String: JSONAPILink]) {
    self.links = links.sorted { $0.key < $1.key }.map { ($0, $1) }
  }

  package init(ordered links: [(name: String, link: JSONAPILink)]) { self.links = links }

  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    let keys = run.keys
    let members = links.map { name, link in
      (name: Self.known.contains(name) ? name : keys?.name(name) ?? name, value: link as Any?)
    }
    return try JSONAPIMembers(members).write(to: &run)
  }
}

/// An entity with links of its own and of its relationships (JSON:API 1.1 §5.6). Source: Kakapo.
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
  /// The meta information of the resource.
  var meta: (any Serializable)? { get }

  /// The meta information of relationships, by the names of the properties.
  var relationshipsMeta: [String: any Serializable]? { get }
}

extension JSONAPIMetaEntity {
  /// No meta information.
  public var meta: (any Serializable)? { nil }
  public var relationshipsMeta: [String: any Serializable]? { nil }
}
