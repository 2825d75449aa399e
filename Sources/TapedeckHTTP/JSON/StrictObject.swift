/// A JSON object with known members, so that a misspelt name is an error.
package struct StrictObject {
  package let place: JSONPlace
  package let members: [JSONMember]

  /// The members must be checked with `refuseOthers`.
  package init(_ value: JSONValue, at place: JSONPlace) throws(JSONProblem) {
    guard case .object(let members) = value else { throw JSONProblem(place, .expected(.object)) }
    self.place = place
    self.members = members
  }

  package init(
    _ value: JSONValue, at place: JSONPlace, known: [String], allowsOwn: Bool = false
  ) throws(JSONProblem) {
    try self.init(value, at: place)
    try refuseOthers(than: known, allowsOwn: allowsOwn)
  }

  /// Throws for unknown and repeated members.
  /// - Parameters:
  /// - known: at most 64 names.
  /// - allowsOwn: whether names that start with `_` or `x-` are allowed, as the user's own.
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

  package func bool(_ name: String) throws(JSONProblem) -> Bool? { try value(name, .bool) { $0.bool } }

  /// A whole number, which may also be written as `1.0`.
  package func int(
    _ name: String, in range: ClosedRange<Int> = 0...(.max)
  ) throws(JSONProblem) -> Int? {
    try value(name, .wholeNumber(range)) { value in
      (value.int ?? value.double.flatMap(Int.init(exactly:))).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  package func number(_ name: String, in range: ClosedRange<Double>) throws(JSONProblem) -> Double? {
    try value(name, .number(range)) { $0.double.flatMap { range.contains($0) ? $0 : nil } }
  }

  package func array(_ name: String) throws(JSONProblem) -> [JSONValue]? {
    try value(name, .array) { $0.array }
  }

  private func value<Value>(
    _ name: String, _ shape: JSONProblem.Shape, _ read: (JSONValue) -> Value?
  ) throws(JSONProblem) -> Value? {
    guard let json = self[name] else { return nil }
    guard let value = read(json) else { throw problem(name, .expected(shape)) }
    return value
  }

  package func texts(_ name: String) throws(JSONProblem) -> [String]? {
    try array(name).map { items throws(JSONProblem) in
      try items.enumerated().map { index, item throws(JSONProblem) in
        try Self.text(item, at: place.member(name).element(index))
      }
    }
  }

  /// The members must be checked with `refuseOthers`.
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
