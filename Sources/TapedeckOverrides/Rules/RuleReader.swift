package import TapedeckHTTP

/// Reads the members of a JSON object, each by its name. Whatever nobody has asked for is unknown, and an error: a
/// misspelt `status` that is passed over would answer 200.
package struct RuleReader {
  /// Where the object stands in its document, like `routes[3].when`.
  let place: String
  private let members: [JSONMember]
  /// Where each name stands among the members.
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

  /// The names of the members, in order.
  var names: [String] { members.map(\.name.text) }

  package mutating func value(_ name: String) -> JSONValue? {
    known.append(name)
    return indices[name].map { members[$0].value }
  }

  func has(_ name: String) -> Bool { indices[name] != nil }

  package mutating func text(_ name: String) throws(OverrideProblem) -> String? {
    guard let value = value(name) else { return nil }
    guard let text = value.text else { throw problem(name, "must be a text") }
    return text
  }

  package mutating func int(_ name: String, in range: ClosedRange<Int>) throws(OverrideProblem) -> Int? {
    guard let value = value(name) else { return nil }
    // 1.0 is a whole number too, as JSON schemas have it.
    guard let number = value.int ?? value.double.flatMap(Int.init(exactly:)), range.contains(number) else {
      let most = range.upperBound == .max ? " on" : " to \(range.upperBound)"
      throw problem(name, "must be a whole number from \(range.lowerBound)\(most)")
    }
    return number
  }

  mutating func number(_ name: String, in range: ClosedRange<Double>) throws(OverrideProblem) -> Double? {
    guard let value = value(name) else { return nil }
    guard let number = value.double, range.contains(number) else {
      throw problem(
        name, "must be a number from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))")
    }
    return number
  }

  private static func text(_ number: Double) -> String {
    JSONNumber(number).map { String(decoding: $0.raw, as: UTF8.self) } ?? ""
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

  /// The members of a member.
  mutating func object(_ name: String) throws(OverrideProblem) -> RuleReader? {
    guard let value = value(name) else { return nil }
    return try RuleReader(value, at: place(of: name))
  }

  /// To be called when all that is known has been asked for.
  package func finish() throws(OverrideProblem) {
    let asked = Set(known)
    guard let name = names.first(where: { !asked.contains($0) }) else { return }
    let hint = NearestWord.to(name, among: known).map { "did you mean \($0)?" }
    throw problem(name, "unknown member; \(hint ?? "known are \(known.joined(separator: ", "))")")
  }

  package func place(of name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }

  package func problem(_ name: String, _ text: String) -> OverrideProblem {
    OverrideProblem(place(of: name), text)
  }
}
