/// The names that JSON:API allows for members and types (JSON:API 1.1 §5.8).
package enum MemberName {
  /// Letters, digits and anything outside ASCII; `-`, `_` and blanks between them.
  private static func isLegal(_ name: String) -> Bool {
    guard let first = name.unicodeScalars.first, let last = name.unicodeScalars.last else { return false }
    return isPlain(first) && isPlain(last)
      && name.unicodeScalars.allSatisfy { isPlain($0) || $0 == "-" || $0 == "_" || $0 == " " }
  }

  /// The name with a hyphen for what is not allowed: `policy<int>` is `policy-int`.
  package static func legal(_ name: String) -> String {
    let parts = name.unicodeScalars.split { !isPlain($0) && $0 != "_" && $0 != "-" }
    let joined = parts.map { String(String.UnicodeScalarView($0)) }.joined(separator: "-")
    let start = joined.drop { $0 == "-" || $0 == "_" }
    let tail = start.reversed().prefix { $0 == "-" || $0 == "_" }.count
    return String(start.dropLast(tail))
  }

  /// Whether an attribute or relationship may be called so: fields share a namespace with `type` and `id`
  /// (JSON:API 1.1 §5.2.4).
  package static func isField(_ name: String) -> Bool { isLegal(name) && name != "type" && name != "id" }

  /// The default name of a resource type.
  static func standard(of type: any Any.Type) -> String { legal(String(describing: type).lowercased()) }

  /// The name of a resource type: the one that an entity type declares, or the default.
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

/// An object with member names of JSON:API's own, which no key transformer changes. Members without a value are left
/// out.
struct JSONAPIMembers: Writable {
  let members: [(name: String, value: Any?)]

  init(_ members: (String, Any?)...) { self.members = members.map { ($0, $1) } }

  init(_ members: [(name: String, value: Any?)]) { self.members = members }

  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    run.out.append(UInt8(ascii: "{"))
    for case (let name, let value?) in members {
      try run.member(SerializationRun.memberName(name), step: name) { run throws(SerializationError) in
        try run.writeAny(value)
      }
    }
    run.out.append(UInt8(ascii: "}"))
    return true
  }
}
