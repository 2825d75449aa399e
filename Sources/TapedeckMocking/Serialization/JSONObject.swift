internal import TapedeckHTTP

/// An object written down where it is needed: `["id": 2, "name": "Kakapo"]`, with its members in that order.
///
/// A handler may return such a literal as it stands; its values are anything that can be serialised.
public struct JSONObject: ExpressibleByDictionaryLiteral {
  public var members: [(name: String, value: (any Serializable)?)]

  public init(_ members: [(name: String, value: (any Serializable)?)] = []) { self.members = members }

  public init(dictionaryLiteral members: (String, (any Serializable)?)...) {
    self.members = members.map { ($0, $1) }
  }
}

extension JSONObject: Serializable, Writable {
  func write(to run: inout SerializationRun) throws(SerializationError) -> Bool {
    try run.nested { run throws(SerializationError) in
      run.out.append(UInt8(ascii: "{"))
      for member in members {
        let name = run.keys?.transform(member.name) ?? member.name
        try run.member(SerializationRun.memberName(name), step: member.name) {
          run throws(SerializationError) in
          guard let value = member.value else { return false }
          return try run.writeAny(value)
        }
      }
      run.out.append(UInt8(ascii: "}"))
    }
    return true
  }
}
