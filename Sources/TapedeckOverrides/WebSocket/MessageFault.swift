internal import TapedeckHTTP
internal import TapedeckMocking

/// A failure of some messages of a WebSocket on their way.
struct MessageFault: Sendable, Equatable {
  enum Action: Sendable, Equatable {
    /// Closes with a code, instead of passing the message on.
    case close(DeclaredClose)
    /// Does not pass the message on.
    case drop
    /// Passes the message on later, and those after it no earlier.
    case latency(milliseconds: Int, jitter: Int)
    /// Sends bytes that are no frame instead of the message, and ends the connection.
    case malformedFrame
  }

  let action: Action
  /// Whose messages it acts on.
  let side: WebSocketReader.Side
  private let after: Int
  /// Numbers of messages, from 1, among those that meet the condition; `nil` for all.
  private let on: [Int]?
  private let condition: BodyCondition

  /// - Parameter value: the member `messages`, which says on which messages it acts; `nil` for all of the server.
  init(_ action: Action, _ value: JSONValue?, at place: String) throws(OverrideProblem) {
    self.action = action
    var reader = try RuleReader(value ?? .object([]), at: place)
    side = try reader.word("from", of: ["client", "server"]) == "client" ? .client : .server
    after = try reader.int("after", in: 0...Int.max) ?? 0
    on = try RuleLimits.turns("on", of: "a message", &reader)
    var when = try reader.object("when")
    condition = try BodyCondition(&when)
    try when?.finish()
    try reader.finish()
  }

  /// Whether it acts on a message.
  /// - Parameter seen: how many messages have met the condition so far, which it counts on.
  func acts(on message: WebSocketMessage, from side: WebSocketReader.Side, seen: inout Int) -> Bool {
    guard side == self.side, let bytes = message.bytes else { return false }
    var request = HTTPRequest(.get, "/")
    request.body = bytes
    guard condition.obstacle(OverrideRequest(request)) == nil else { return false }
    seen += 1
    return seen > after && on?.contains(seen) != false
  }
}

extension WebSocketMessage {
  /// What a text or binary message holds; `nil` for a control.
  var bytes: [UInt8]? {
    switch self {
    case .text(let bytes), .binary(let bytes): bytes
    case .ping, .pong, .close: nil
    }
  }
}

/// A fault at work on the messages of one WebSocket.
final class FaultyMessages: MessageEffect {
  private let fault: MessageFault
  private var generator: SplitMix64
  private var seen = 0

  init(_ fault: MessageFault, _ generator: SplitMix64) { (self.fault, self.generator) = (fault, generator) }

  func steps(for message: WebSocketMessage, from side: WebSocketReader.Side) -> [MessageStep] {
    guard fault.acts(on: message, from: side, seen: &seen) else {
      return [.pass(message, afterNanoseconds: 0)]
    }
    switch fault.action {
    case .drop: return []
    case .latency(let milliseconds, let jitter):
      let time = max(0, milliseconds + Int.random(in: -jitter...jitter, using: &generator))
      return [.pass(message, afterNanoseconds: Int64(time) * 1_000_000)]
    case .close(let close): return [.close(close)]
    case .malformedFrame:
      // Reserved bits and a reserved opcode, which no extension gives a meaning to.
      return [.malformedFrame([0xFF] + (0..<63).map { _ in UInt8.random(in: 0...0xFF, using: &generator) })]
    }
  }
}
