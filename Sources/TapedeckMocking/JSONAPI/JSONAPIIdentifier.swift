public import TapedeckHTTP

/// A resource by its type and id, as relationships name it (JSON:API 1.1 §5.5).
public struct JSONAPIIdentifier: Sendable, Hashable {
  public var type: String
  public var id: String
  /// Written beside type and id; does not count for equality.
  public var meta: JSONValue?

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
    run.out.append(UInt8(ascii: "{"))
    writeMembers(to: &run)
    if let meta {
      try run.member("meta") { run throws(SerializationError) in try run.write(meta) }
    }
    run.out.append(UInt8(ascii: "}"))
    return true
  }

  /// Type and id alone, into an object that is open.
  func writeMembers(to run: inout SerializationRun) {
    run.write(literal: "\"type\":")
    run.write(text: type)
    run.write(literal: ",\"id\":")
    run.write(text: id)
  }
}

extension SerializationRun {
  /// A member whose name is JSON:API's own, which no transformer touches.
  mutating func member(
    _ name: String, _ value: (inout SerializationRun) throws(SerializationError) -> Bool
  ) throws(SerializationError) {
    try member(Self.memberName(name), step: name, value)
  }
}
