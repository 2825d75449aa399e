internal import TapedeckHTTP

/// Reads the members of an object; what nobody has asked for is an error.
struct MockRouteReader {
  let place: String
  private let members: [JSONMember]
  private var known: Set<String> = []

  init(_ json: JSONValue, at place: String) throws(MockRouteError) {
    guard let members = json.members else { throw .badJSON(place: place, problem: "must be an object") }
    self.place = place
    self.members = members
  }

  func has(_ name: String) -> Bool { members.contains { $0.name.text == name } }

  mutating func value(_ name: String) -> JSONValue? {
    known.insert(name)
    return members.first { $0.name.text == name }?.value
  }

  private func wrong(_ name: String, _ wanted: String) -> MockRouteError {
    .badJSON(place: "\(place).\(name)", problem: "must be \(wanted)")
  }

  mutating func text(_ name: String) throws(MockRouteError) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.text else { throw wrong(name, "a text") }
    return text
  }

  mutating func int(_ name: String) throws(MockRouteError) -> Int? {
    guard let value = value(name) else { return nil }
    guard let number = value.int else { throw wrong(name, "a whole number") }
    return number
  }

  mutating func number(_ name: String) throws(MockRouteError) -> Double? {
    guard let value = value(name) else { return nil }
    guard let number = value.double, number >= 0 else { throw wrong(name, "a number from 0 on") }
    return number
  }

  mutating func object(_ name: String) throws(MockRouteError) -> MockRouteReader? {
    guard let value = value(name) else { return nil }
    return try MockRouteReader(value, at: "\(place).\(name)")
  }

  /// An object of texts.
  mutating func texts(_ name: String) throws(MockRouteError) -> [String: String] {
    guard let value = value(name) else { return [:] }
    guard let members = value.members else { throw wrong(name, "an object of texts") }
    var texts: [String: String] = [:]
    for member in members {
      guard let text = member.value.text else { throw wrong("\(name).\(member.name.text)", "a text") }
      texts[member.name.text] = text
    }
    return texts
  }

  func finish() throws(MockRouteError) {
    for member in members where !known.contains(member.name.text) {
      throw .badJSON(
        place: place, problem: "has a member \(member.name.text.debugDescription) that it does not use")
    }
  }
}
