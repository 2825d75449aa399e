/// A JSON object whose every member is known, so that a misspelt one is an error instead of being passed over.
///
/// The members may be named at once, or, where some of them decide which others there may be, after those are read.
package struct StrictObject {
  package let place: JSONPlace
  package let members: [JSONMember]

  /// An object whose members are still to be checked by `refuseOthers`.
  package init(_ value: JSONValue, at place: JSONPlace) throws(JSONProblem) {
    guard case .object(let members) = value else { throw JSONProblem(place, .expected(.object)) }
    self.place = place
    self.members = members
  }

  /// - Parameter allowsOwn: see `refuseOthers`.
  package init(
    _ value: JSONValue, at place: JSONPlace, known: [String], allowsOwn: Bool = false
  ) throws(JSONProblem) {
    try self.init(value, at: place)
    try refuseOthers(than: known, allowsOwn: allowsOwn)
  }

  /// Throws for a member of another name, and for one that is there twice.
  /// - Parameters:
  ///   - known: at most 64 names.
  ///   - allowsOwn: whether names that start with `_` or `x-` are the user's own and allowed.
  package func refuseOthers(than known: [String], allowsOwn: Bool = false) throws(JSONProblem) {
    var seen: UInt64 = 0
    for member in members where !allowsOwn || !Self.isOwn(member.name) {
      guard let index = known.firstIndex(where: { member.name.isEqual(to: $0.utf8) }) else {
        throw JSONProblem(place, .unknown(member.name.text, known: known))
      }
      guard seen & 1 << UInt64(index) == 0 else { throw JSONProblem(place, .repeated(known[index])) }
      seen |= 1 << UInt64(index)
    }
  }

  package static func isOwn(_ name: JSONString) -> Bool {
    let raw = name.raw
    return raw.first == UInt8(ascii: "_") || raw.first == UInt8(ascii: "x") && raw.starts(with: "x-".utf8)
  }

  package subscript(name: String) -> JSONValue? { members.first { $0.name.isEqual(to: name.utf8) }?.value }

  package func required(_ name: String) throws(JSONProblem) -> JSONValue {
    guard let value = self[name] else { throw JSONProblem(place, .missing(name)) }
    return value
  }

  package func text(_ name: String) throws(JSONProblem) -> String? {
    try self[name].map { value throws(JSONProblem) in try Self.text(value, at: place.member(name)) }
  }

  package func bool(_ name: String) throws(JSONProblem) -> Bool? {
    guard let value = self[name] else { return nil }
    guard let bool = value.bool else { throw problem(name, .expected(.bool)) }
    return bool
  }

  /// A whole number, which may be written as `1.0` too.
  package func int(
    _ name: String, in range: ClosedRange<Int> = 0...(.max)
  ) throws(JSONProblem) -> Int? {
    guard let value = self[name] else { return nil }
    guard let number = value.int ?? value.double.flatMap(Int.init(exactly:)), range.contains(number) else {
      throw problem(name, .expected(.wholeNumber(range)))
    }
    return number
  }

  package func number(_ name: String, in range: ClosedRange<Double>) throws(JSONProblem) -> Double? {
    guard let value = self[name] else { return nil }
    guard let number = value.double, range.contains(number) else {
      throw problem(name, .expected(.number(range)))
    }
    return number
  }

  package func array(_ name: String) throws(JSONProblem) -> [JSONValue]? {
    guard let value = self[name] else { return nil }
    guard let array = value.array else { throw problem(name, .expected(.array)) }
    return array
  }

  /// An array of strings.
  package func texts(_ name: String) throws(JSONProblem) -> [String]? {
    try array(name).map { items throws(JSONProblem) in
      try items.enumerated().map { index, item throws(JSONProblem) in
        try Self.text(item, at: place.member(name).element(index))
      }
    }
  }

  /// An object within this one, whose members are still to be checked by `refuseOthers`.
  package func object(_ name: String) throws(JSONProblem) -> StrictObject? {
    try self[name].map { value throws(JSONProblem) in
      try StrictObject(value, at: place.member(name))
    }
  }

  package func problem(_ name: String, _ kind: JSONProblem.Kind) -> JSONProblem {
    JSONProblem(place.member(name), kind)
  }

  private static func text(
    _ value: JSONValue, at place: @autoclosure () -> JSONPlace
  ) throws(JSONProblem) -> String {
    guard let text = value.text else { throw JSONProblem(place(), .expected(.string)) }
    return text
  }
}
