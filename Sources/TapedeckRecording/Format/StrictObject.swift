package import TapedeckHTTP

/// An object of a cassette file whose every member is known, so that a typo never passes in silence. Members whose
/// names start with `_` or `x-` are the user's own and are left alone.
package struct StrictObject {
  let place: EntryPlace
  private let members: [JSONMember]

  init(_ value: JSONValue, at place: EntryPlace, known: [StaticString]) throws(CassetteError) {
    guard case .object(let members) = value else { throw place.problem("an object is expected here") }
    self.place = place
    self.members = members
    var seen: UInt64 = 0
    for member in members where !Self.isFree(member.name) {
      guard let index = known.firstIndex(where: { member.name.isEqual(to: $0) }) else {
        let names = known.map { "`\($0)`" }.joined(separator: ", ")
        throw place.problem("unknown member `\(member.name.text)`; known are \(names)")
      }
      guard seen & 1 << UInt64(index) == 0 else {
        throw place.problem("the member `\(known[index])` stands here twice")
      }
      seen |= 1 << UInt64(index)
    }
  }

  package static func isFree(_ name: JSONString) -> Bool {
    let raw = name.raw
    return raw.first == UInt8(ascii: "_") || raw.first == UInt8(ascii: "x") && raw.starts(with: "x-".utf8)
  }

  subscript(name: StaticString) -> JSONValue? { members.first { $0.name.isEqual(to: name) }?.value }

  func required(_ name: StaticString) throws(CassetteError) -> JSONValue {
    guard let value = self[name] else { throw place.problem("the member `\(name)` is missing") }
    return value
  }

  func text(_ name: StaticString) throws(CassetteError) -> String? {
    guard let value = self[name] else { return nil }
    guard let text = value.text else { throw place.member(name).problem("a string is expected here") }
    return text
  }

  func bool(_ name: StaticString) throws(CassetteError) -> Bool? {
    guard let value = self[name] else { return nil }
    guard let bool = value.bool else { throw place.member(name).problem("true or false is expected here") }
    return bool
  }

  func array(_ name: StaticString) throws(CassetteError) -> [JSONValue]? {
    guard let value = self[name] else { return nil }
    guard let array = value.array else { throw place.member(name).problem("an array is expected here") }
    return array
  }

  /// A whole number that is not negative.
  func count(_ name: StaticString) throws(CassetteError) -> Int? {
    guard let value = self[name] else { return nil }
    guard let count = value.int, count >= 0 else {
      throw place.member(name).problem("a whole number is expected here")
    }
    return count
  }

  func milliseconds(_ name: StaticString) throws(CassetteError) -> Double? {
    guard let value = self[name] else { return nil }
    guard let number = value.double, VolatileFacts.milliseconds.contains(number) else {
      throw place.member(name).problem("a number of milliseconds is expected here")
    }
    return number
  }
}
