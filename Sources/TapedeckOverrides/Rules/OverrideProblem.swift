/// What is wrong with a rule, and where: `routes[3].status: must be a number from 200 to 999`.
public struct OverrideProblem: Error, Equatable, Sendable, CustomStringConvertible {
  /// From the document down, like `routes[3].when.query`.
  public var place: String
  /// What is wrong there.
  public var text: String

  package init(_ place: String, _ text: String) {
    self.place = place
    self.text = text
  }

  public var description: String { place.isEmpty ? text : "\(place): \(text)" }
}
