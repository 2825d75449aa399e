public import TapedeckHTTP
public import TapedeckRecording

/// A resource that a recorded session tells of.
public struct PromotedResource: Sendable {
  public var id: String
  public var path: String
  /// As an overrides file has it.
  public var declaration: JSONValue
  /// From 0 to 1: how much of a collection was seen.
  public var confidence: Double
  /// What was seen, in words: `2 lists`, `1 create`.
  public var seen: [String]
  /// What is taken for granted.
  public var assumed: [String]
  /// What a person should know.
  public var notes: [String]
  /// How many objects it begins with.
  public var objectCount: Int
  /// The ids of resources that it stands on.
  public var needs: [String]
}

/// What a session says about how its origin kept things.
public struct Promotion: Sendable {
  /// In the order in which the session happened.
  public let exchanges: [PromotedExchange]
  public let resources: [PromotedResource]

  public init(_ exchanges: [PromotedExchange]) {
    let session = PromotedSession(exchanges)
    self.exchanges = session.exchanges
    var writer = PromotionWriter(session)
    resources = writer.write()
  }

  public init(_ cassette: Cassette) {
    self.init(cassette.answers.map { PromotedExchange($0.interaction, file: $0.fileName) })
  }
}
