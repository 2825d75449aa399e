/// A member of an object.
public struct JSONMember: Sendable, Equatable {
  public var name: JSONString
  public var value: JSONValue

  public init(_ name: JSONString, _ value: JSONValue) {
    self.name = name
    self.value = value
  }
}
