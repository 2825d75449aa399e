internal import TapedeckHTTP

/// A link: a URL, an object that says more about it, or `null` where there is none (JSON:API 1.1 §5.6).
public indirect enum JSONAPILink: Sendable {
  case simple(value: String)
  case object(href: String, meta: (any Serializable & Sendable)? = nil, details: Details = Details())
  case null

  /// What else a link object says.
  public struct Details: Sendable {
    public var rel: String?
    public var describedby: JSONAPILink?
    public var title: String?
    /// The media type of what the link leads to.
    public var type: String?
    /// Languages (RFC 5646); a single one is written as text.
    public var hreflang: [String]

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
    case .null: run.write(literal: "null")
    case .simple(let value): run.write(text: value)
    case .object(let href, let meta, let details):
      try run.nested { run throws(SerializationError) in
        run.write(literal: "{\"href\":")
        run.write(text: href)
        try details.write(to: &run)
        if let meta { try run.member("meta") { run throws(SerializationError) in try run.writeAny(meta) } }
        run.out.append(UInt8(ascii: "}"))
      }
    }
    return true
  }
}

extension JSONAPILink.Details {
  fileprivate func write(to run: inout SerializationRun) throws(SerializationError) {
    try run.member("rel") { run throws(SerializationError) in try run.write(rel) }
    try run.member("describedby") { run throws(SerializationError) in try run.write(describedby) }
    try run.member("title") { run throws(SerializationError) in try run.write(title) }
    try run.member("type") { run throws(SerializationError) in try run.write(type) }
    let languages: JSONValue? =
      hreflang.count > 1 ? .array(hreflang.map { JSONValue($0) }) : hreflang.first.map { JSONValue($0) }
    try run.member("hreflang") { run throws(SerializationError) in try run.write(languages) }
  }
}

/// The links of a document, resource, relationship or error, in the order of their names.
package struct LinkTable: Sendable {
  /// Names that JSON:API gives; transformers leave them.
  private static let known: Set<String> = [
    "self", "related", "describedby", "first", "last", "prev", "next", "about", "type",
  ]

  let links: [(name: String, link: JSONAPILink)]

  package init(_ links: [String: JSONAPILink]) {
    self.links = links.sorted { $0.key < $1.key }.map { ($0, $1) }
  }

  package init(ordered links: [(name: String, link: JSONAPILink)]) { self.links = links }

  func write(to run: inout SerializationRun) throws(SerializationError) {
    run.out.append(UInt8(ascii: "{"))
    for (name, link) in links {
      let spelled = Self.known.contains(name) ? name : run.keys?.name(name) ?? name
      try run.member(spelled) { run throws(SerializationError) in try link.write(to: &run) }
    }
    run.out.append(UInt8(ascii: "}"))
  }
}
