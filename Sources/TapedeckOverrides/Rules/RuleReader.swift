package import TapedeckHTTP

/// A problem in a rule, with its place: `routes[3].status: must be a number from 200 to 999`.
public struct OverrideProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// The path from the root of the document, like `routes[3].when.query`.
  public var place: String
  /// The problem at that place.
  public var text: String

  package init(_ place: String, _ text: String) {
    self.place = place
    self.text = text
  }

  public var description: String { place.isEmpty ? text : "\(place): \(text)" }
}

/// Reads the members of a JSON object by name. A member that was not read is unknown, which is an error: if a misspelt
/// `status` were ignored, the route would respond with 200.
package struct RuleReader {
  /// Reads the value at a place.
  typealias Read<Value> = (JSONValue, _ place: String) throws(OverrideProblem) -> Value

  /// The place of the object in its document, like `routes[3].when`.
  let place: String
  private let members: [JSONMember]
  /// The index of the member with each name.
  private let indices: [String: Int]
  private var known: [String] = []

  package init(_ value: JSONValue, at place: String) throws(OverrideProblem) {
    self.place = place
    guard let members = value.members else { throw OverrideProblem(place, "must be an object") }
    self.members = members
    var indices = [String: Int](minimumCapacity: members.count)
    for (index, member) in members.enumerated()
    where indices.updateValue(index, forKey: member.name.text) != nil {
      throw OverrideProblem(place, "has \(member.name.text.debugDescription) twice")
    }
    self.indices = indices
  }

  package mutating func value(_ name: String) -> JSONValue? {
    known.append(name)
    return indices[name].map { members[$0].value }
  }

  func has(_ name: String) -> Bool { indices[name] != nil }

  /// Refuses unknown members. Call it when all known members have been read.
  package func finish() throws(OverrideProblem) {
    let read = Set(known)
    guard let name = members.lazy.map(\.name.text).first(where: { !read.contains($0) }) else { return }
    let hint = name.nearest(among: known).map { "did you mean \($0)?" }
    throw problem(name, "unknown member; \(hint ?? "known are \(known.joined(separator: ", "))")")
  }

  package func place(of name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }

  package func problem(_ name: String, _ text: String) -> OverrideProblem {
    OverrideProblem(place(of: name), text)
  }

  // MARK: Values

  package mutating func text(_ name: String) throws(OverrideProblem) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.text else { throw problem(name, "must be a text") }
    return text
  }

  package mutating func int(_ name: String, in range: ClosedRange<Int>) throws(OverrideProblem) -> Int? {
    guard let value = value(name) else { return nil }
    // As in JSON Schema, 1.0 is a whole number.
    guard let number = value.int ?? value.double.flatMap(Int.init(exactly:)), range.contains(number) else {
      let most = range.upperBound == .max ? " on" : " to \(range.upperBound)"
      throw problem(name, "must be a whole number from \(range.lowerBound)\(most)")
    }
    return number
  }

  mutating func number(_ name: String, in range: ClosedRange<Double>) throws(OverrideProblem) -> Double? {
    guard let value = value(name) else { return nil }
    guard let number = value.double, range.contains(number) else {
      let ends = [range.lowerBound, range.upperBound].map { JSONValue($0).description }
      throw problem(name, "must be a number from \(ends[0]) to \(ends[1])")
    }
    return number
  }

  package mutating func bool(_ name: String) throws(OverrideProblem) -> Bool? {
    guard let value = value(name) else { return nil }
    guard let bool = value.bool else { throw problem(name, "must be true or false") }
    return bool
  }

  package mutating func list(_ name: String) throws(OverrideProblem) -> [JSONValue]? {
    guard let value = value(name) else { return nil }
    guard let items = value.array else { throw problem(name, "must be a list") }
    return items
  }

  mutating func texts(_ name: String) throws(OverrideProblem) -> [String]? {
    guard let items = try list(name) else { return nil }
    let texts = items.compactMap(\.text)
    guard texts.count == items.count else { throw problem(name, "must be a list of texts") }
    return texts
  }

  /// Reads a member that must be one of a few words.
  mutating func word(_ name: String, of words: [String]) throws(OverrideProblem) -> String? {
    guard let text = try text(name) else { return nil }
    guard words.contains(text) else {
      throw problem(name, "must be one of \(words.map(\.debugDescription).joined(separator: ", "))")
    }
    return text
  }

  mutating func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ type: Value.Type
  ) throws(OverrideProblem) -> Value? {
    try word(name, of: Value.allCases.map(\.rawValue)).flatMap(Value.init)
  }

  /// Reads a member that is an object.
  mutating func object(_ name: String) throws(OverrideProblem) -> RuleReader? {
    try read(name) { value, place throws(OverrideProblem) in try RuleReader(value, at: place) }
  }

  /// Reads a member with `read`.
  mutating func read<Value>(_ name: String, _ read: Read<Value>) throws(OverrideProblem) -> Value? {
    guard let value = value(name) else { return nil }
    return try read(value, place(of: name))
  }

  /// Reads all members with `read`, in order.
  mutating func readAll<Value>(_ read: Read<Value>) throws(OverrideProblem) -> [(name: String, value: Value)]
  {
    var all: [(name: String, value: Value)] = []
    for member in members {
      let name = member.name.text
      known.append(name)
      all.append((name, try read(member.value, place(of: name))))
    }
    return all
  }

  /// Calls `make`, and turns its errors into problems of a member.
  func checked<Value>(_ name: String, _ make: () throws -> Value) throws(OverrideProblem) -> Value {
    do { return try make() } catch { throw problem(name, "\(error)") }
  }
}

extension [JSONValue] {
  /// Reads the items of the list at a place with `read`.
  func read<Value>(at place: String, _ read: RuleReader.Read<Value>) throws(OverrideProblem) -> [Value] {
    var all: [Value] = []
    for (index, item) in enumerated() { all.append(try read(item, "\(place)[\(index)]")) }
    return all
  }
}
