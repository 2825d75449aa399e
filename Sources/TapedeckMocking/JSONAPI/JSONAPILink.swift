internal import TapedeckHTTP

/// A link: a URL, an object with details about it, or `null` (JSON:API 1.1 §5.6).
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
    /// A human-readable label.
    public var title: String?
    /// The media type of the target.
    public var type: String?
    /// Languages (RFC 5646); a single one is written as a string.
    public var hreflang: [String]

    /// Creates the members; those that are `nil` are left out.
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
  public init(stringLiteral value: String) { self = .simple(value: value) }
}

extension JSONAPILink: Serializable, Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    switch self {
    case .null: return run.write(literal: "null")
    case .simple(let value): return run.write(text: value)
    case .object(let href, let meta, let details):
      let languages: Any? = details.hreflang.count > 1 ? details.hreflang : details.hreflang.first
      let object = JSONAPIMembers(
        ("href", href), ("rel", details.rel), ("describedby", details.describedby), ("title", details.title),
        ("type", details.type), ("hreflang", languages), ("meta", meta))
      return try object.write(to: &run)
    }
  }
}

package struct LinkTable: Sendable, Writable {
  /// The names that JSON:API defines; key transformers do not change them.
  private static let known: Set<String> = [
    "self", "related", "describedby", "first", "last", "prev", "next", "about", "type",
  ]

  let links: [(name: String, link: JSONAPILink)]

  package init(_ links: [String: JSONAPILink]) {
    self.init(ordered: links.sorted { $0.key < $1.key }.map { ($0, $1) })
  }

  init?(nonempty links: [String: JSONAPILink]?) {
    guard let links, !links.isEmpty else { return nil }
    self.init(links)
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
