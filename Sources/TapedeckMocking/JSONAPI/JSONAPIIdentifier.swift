public import TapedeckHTTP

/// A resource identifier: type and id (JSON:API 1.1 §5.5).
public struct JSONAPIIdentifier: Sendable, Hashable {
  /// The resource type.
  public var type: String
  /// The id, unique within the type.
  public var id: String
  /// Meta information, ignored by `==`.
  public var meta: JSONValue?

  /// Creates an identifier.
  public init(type: String, id: String, meta: JSONValue? = nil) {
    self.type = type
    self.id = id
    self.meta = meta
  }

  public static func == (left: Self, right: Self) -> Bool { left.type == right.type && left.id == right.id }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(type)
    hasher.combine(id)
  }
}

extension JSONAPIIdentifier: Serializable, Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    try JSONAPIMembers(("type", type), ("id", id), ("meta", meta)).write(to: &run)
  }
}

/// Resource linkage (JSON:API 1.1 §5.4).
package enum Linkage: Equatable, Sendable {
  case one(JSONAPIIdentifier?)
  case many([JSONAPIIdentifier])

  package var identifiers: [JSONAPIIdentifier] {
    switch self {
    case .one(let identifier): identifier.map { [$0] } ?? []
    case .many(let identifiers): identifiers
    }
  }

  var data: Any {
    switch self {
    case .one(let identifier): identifier ?? JSONValue.null
    case .many(let identifiers): identifiers
    }
  }
}

/// The names that JSON:API allows for members and types (JSON:API 1.1 §5.8).
package enum MemberName {
  /// Letters, digits and anything outside ASCII, with `-`, `_` and blanks between them.
  private static func isLegal(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first, let last = name.unicodeScalars.last else { return false }
    return isPlain(first) && isPlain(last)
      && name.unicodeScalars.allSatisfy { isPlain($0) || $0 == "-" || $0 == "_" || $0 == " " }
  }

  /// The name with hyphens in place of illegal characters: `policy<int>` becomes `policy-int`.
  package static func legal(_ name: String) -> String {
    let parts = name.unicodeScalars.split { !isPlain($0) && $0 != "_" && $0 != "-" }
    let joined = parts.map { String(String.UnicodeScalarView($0)) }.joined(separator: "-")
    let start = joined.drop { $0 == "-" || $0 == "_" }
    let tail = start.reversed().prefix { $0 == "-" || $0 == "_" }.count
    return String(start.dropLast(tail))
  }

  /// Whether an attribute or relationship may have this name (JSON:API 1.1 §5.2.4).
  package static func isField(_ name: String) -> Bool { isLegal(name) && name != "type" && name != "id" }

  static func standard(of type: any Any.Type) -> String { legal(String(describing: type).lowercased()) }

  /// The declared type of an entity type, or else the default.
  package static func ofType(_ type: any Any.Type) -> String {
    (type as? any JSONAPIEntity.Type)?.type ?? standard(of: type)
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9": true
    default: scalar.value >= 0x80
    }
  }
}

/// An object whose names are not transformed. Members without a value are left out.
struct JSONAPIMembers: MediaTyped, Writable {
  let members: [(name: String, value: Any?)]

  init(_ members: (String, Any?)...) { self.members = members.map { ($0, $1) } }

  init(_ members: [(name: String, value: Any?)]) { self.members = members }

  var contentType: String { JSONAPIDocument.mediaType }

  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    try run.object { run throws(SerializationError) in
      for case (let name, let value?) in members {
        try run.member(SerializationRun.memberName(name), step: name) { run throws(SerializationError) in
          try run.writeAny(value)
        }
      }
    }
  }
}
