internal import TapedeckHTTP
internal import TapedeckMocking

/// A change to messages of a WebSocket: which ones, by `from`, `at` and `when`, and what becomes of them.
struct MessageEdit: Sendable {
  private let side: WebSocketReader.Side
  /// Numbers of messages of that side, from 1; `nil` for all.
  private let places: [Int]?
  private let condition: BodyCondition
  private let path: PathPattern
  /// Edits of a message of JSON by path, in order.
  let json: [JSONEdit]
  let replacements: [(text: String, with: String)]
  let drops: Bool
  let before: [DeclaredMessage]
  let after: [DeclaredMessage]
  /// How the WebSocket closes after the message.
  let close: DeclaredClose?

  init(_ value: JSONValue, at place: String, _ path: PathPattern) throws(OverrideProblem) {
    var reader = try RuleReader(value, at: place)
    self.path = path
    side = try reader.word("from", of: ["client", "server"]) == "client" ? .client : .server
    places = try RuleLimits.turns("at", of: "a message", &reader)
    var when = try reader.object("when")
    condition = try BodyCondition(&when)
    try when?.finish()
    json = try reader.read("json", Patch.edits) ?? []
    replacements = try reader.read("replace", Patch.replacements) ?? []
    drops = try reader.bool("drop") ?? false
    before = try reader.read("before", Self.messages(path)) ?? []
    after = try reader.read("after", Self.messages(path)) ?? []
    close = try reader.read("close", DeclaredClose.init)
    try reader.finish()
    guard drops || close != nil || !isOnlyInserting || !before.isEmpty || !after.isEmpty else {
      throw OverrideProblem(
        place, "changes nothing: it needs one of json, replace, drop, before, after and close")
    }
    guard !drops || isOnlyInserting else { throw reader.problem("drop", "leaves nothing to edit") }
  }

  private static func messages(_ path: PathPattern) -> RuleReader.Read<[DeclaredMessage]> {
    { value, place throws(OverrideProblem) in
      guard let items = value.array, !items.isEmpty else {
        throw OverrideProblem(place, "must be a list of messages like {\"json\": {\"n\": 1}}")
      }
      return try items.read(at: place) { item, place throws(OverrideProblem) in
        try DeclaredMessage(item, at: place, path)
      }
    }
  }

  private var isOnlyInserting: Bool { json.isEmpty && replacements.isEmpty }

  /// Whether it changes more than the content of a message.
  var changesStream: Bool { drops || close != nil || !before.isEmpty || !after.isEmpty }

  /// - Parameters:
  ///   - message: the request with a message as its body.
  ///   - number: the message's among those of its side, from 1.
  func fits(_ message: OverrideRequest, from side: WebSocketReader.Side, number: Int) -> Bool {
    side == self.side && places?.contains(number) != false && condition.obstacle(message) == nil
  }

  /// What templates of inserted messages name.
  func values(_ message: OverrideRequest) -> RequestValues {
    RequestValues(request: message, components: path.values(in: message.path))
  }
}
