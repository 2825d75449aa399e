internal import TapedeckHTTP
internal import TapedeckMocking
internal import TapedeckSockets

/// A failure on a response's way to the client, with Toxiproxy's names and units.
///
/// Toxiproxy acts on the bytes of a connection; a fault acts on one response. Its head is sent whole, and sizes count
/// the bytes of its body.
enum Fault: Sendable, Equatable {
  /// Delays the start of the response by `milliseconds`, plus or minus `jitter`.
  case latency(milliseconds: Int, jitter: Int)
  /// Limits the rate of the body, in thousands of bytes per second.
  case bandwidth(rate: Int)
  /// Delays the end of the response, and then ends the connection.
  case slowClose(milliseconds: Int)
  /// Sends no response and ends the connection after the time; zero leaves that to the client.
  case timeout(milliseconds: Int)
  /// Resets the connection after the time, instead of a response.
  case resetPeer(milliseconds: Int)
  /// Sends the body in pieces, with a pause after each.
  case slicer(averageSize: Int, variation: Int, microseconds: Int)
  /// Cuts the body off after a number of bytes.
  case limitData(bytes: Int)
  /// Ends the connection without a response.
  case emptyResponse
  /// Sends the head and a malformed chunk, and ends the connection.
  case malformedResponseChunk
  /// Sends bytes that are not HTTP, and ends the connection.
  case randomDataThenClose
  /// Acts on messages of a WebSocket.
  case messages(MessageFault)
}

// MARK: Reading

extension Fault {
  private static let names = [
    "latency", "bandwidth", "slow_close", "timeout", "reset_peer", "slicer", "limit_data", "empty_response",
    "malformed_response_chunk", "random_data_then_close", "close", "drop", "malformed_frame",
  ]

  /// Reads the member `fault` of a route: an object, or the type alone if it needs no other members.
  init(_ value: JSONValue, at place: String) throws(OverrideProblem) {
    let json = value.text == nil ? value : .object([JSONMember("type", value)])
    var reader = try RuleReader(json, at: place)
    self = try Fault(&reader)
    try reader.finish()
  }

  /// Reads `type` and the members that belong to it.
  private init(_ reader: inout RuleReader) throws(OverrideProblem) {
    let times = 0...86_400_000
    let type = try reader.text("type")
    if let fault = try Self.ofMessages(type, &reader) {
      self = fault
      return
    }
    switch type {
    case "latency":
      self = .latency(
        milliseconds: try Self.required("latency", times, &reader),
        jitter: try reader.int("jitter", in: times) ?? 0)
    case "bandwidth": self = .bandwidth(rate: try Self.required("rate", 1...1_000_000_000, &reader))
    case "slow_close": self = .slowClose(milliseconds: try Self.required("delay", times, &reader))
    case "timeout": self = .timeout(milliseconds: try reader.int("timeout", in: times) ?? 0)
    case "reset_peer": self = .resetPeer(milliseconds: try reader.int("timeout", in: times) ?? 0)
    case "slicer":
      let size = try Self.required("average_size", 1...1_000_000_000, &reader)
      let variation = try reader.int("size_variation", in: 0...1_000_000_000) ?? 0
      guard variation < size else {
        throw reader.problem("size_variation", "must be less than average_size")
      }
      let pause = try reader.int("delay", in: times) ?? 0
      self = .slicer(averageSize: size, variation: variation, microseconds: pause)
    case "limit_data": self = .limitData(bytes: try Self.required("bytes", 0...Int.max, &reader))
    case "empty_response": self = .emptyResponse
    case "malformed_response_chunk": self = .malformedResponseChunk
    case "random_data_then_close": self = .randomDataThenClose
    default: throw reader.problem("type", "must be one of \(Self.names.joined(separator: ", "))")
    }
  }

  /// A fault of messages; `nil` for one of responses.
  private static func ofMessages(
    _ type: String?, _ reader: inout RuleReader
  ) throws(OverrideProblem) -> Fault? {
    let action: MessageFault.Action
    switch type {
    case "close": action = .close(try DeclaredClose(&reader, standard: 1011))
    case "drop": action = .drop
    case "malformed_frame": action = .malformedFrame
    case "latency" where reader.has("messages"):
      let times = 0...86_400_000
      action = .latency(
        milliseconds: try required("latency", times, &reader),
        jitter: try reader.int("jitter", in: times) ?? 0)
    default: return nil
    }
    let place = reader.place(of: "messages")
    return .messages(try MessageFault(action, reader.value("messages"), at: place))
  }

  private static func required(
    _ name: String, _ range: ClosedRange<Int>, _ reader: inout RuleReader
  ) throws(OverrideProblem) -> Int {
    guard let value = try reader.int(name, in: range) else { throw reader.problem(name, "is missing") }
    return value
  }
}

// MARK: Acting

extension Fault: ResponseEffect {
  static let kind = OverrideKind.faults

  init(
    _ reader: inout RuleReader, _ path: PathPattern, _ file: OverridesFile?, _ limits: inout RuleLimits
  ) throws(OverrideProblem) { try self.init(&reader) }

  func applies(to source: ServedResponse.Source) -> Bool { true }

  static func apply(
    _ acting: [(rule: RequestRule<Fault>, turn: Int)], to response: ServedResponse, of request: HTTPRequest,
    _ usages: RuleUsages<Fault>, _ decisions: DecisionCollector?, loop: EventLoop
  ) -> ServedResponse {
    acting.reduce(response) { response, acting in
      acting.rule.effect.applied(
        to: response, of: request, generator: acting.rule.limits.generator(beyondDiceOf: acting.turn),
        loop: loop)
    }
  }

  /// The response with this fault.
  /// - Parameter generator: the source of all random choices.
  func applied(
    to response: ServedResponse, of request: HTTPRequest, generator: SplitMix64, loop: EventLoop
  ) -> ServedResponse {
    var response = response
    var generator = generator
    if case .latency(let milliseconds, let jitter) = self {
      let time = max(0, milliseconds + Int.random(in: -jitter...jitter, using: &generator))
      response.delay(by: Int64(time) * 1_000_000, of: request, loop)
      return response
    }
    guard let source = response.content.stream(to: request.method) else { return response }
    if case .messages(let fault) = self {
      guard let upgrade = response.upgrade else { return response }
      let socket = MessageFilter(source, upgrade, FaultyMessages(fault, generator), loop: loop)
      response.content = .stream(socket)
      response.upgrade = socket
      return response
    }
    response.content = .stream(stream(of: source, request.version, &generator, loop))
    if case .slowClose = self { response.endsConnection = true }
    return response
  }

  private func stream(
    of source: any ResponseSource, _ version: HTTPVersion, _ generator: inout SplitMix64, _ loop: EventLoop
  ) -> any ResponseSource {
    func withheld(
      _ milliseconds: Int?, awaitsResponse: Bool = true, _ end: ConnectionEnd = .close(after: [])
    ) -> WithheldSource {
      WithheldSource(source, until: milliseconds, awaitsResponse: awaitsResponse, end: end, loop: loop)
    }
    switch self {
    case .latency, .messages: return source
    case .bandwidth(let rate):
      return DrippedSource(source, pace: .bandwidth(bytesPerMillisecond: rate), loop: loop)
    case .slowClose(let milliseconds):
      return SlowlyClosedSource(source, milliseconds: milliseconds, loop: loop)
    case .timeout(let milliseconds):
      return withheld(milliseconds == 0 ? nil : milliseconds, awaitsResponse: false)
    case .resetPeer(let milliseconds): return withheld(milliseconds, .reset)
    case .slicer(let averageSize, let variation, let microseconds):
      let sizes = max(1, averageSize - variation)...(averageSize + variation)
      return DrippedSource(
        source, pace: .slices(sizes, generator, pauseNanoseconds: Int64(microseconds) * 1000), loop: loop)
    case .limitData(let bytes): return LimitedSource(source, limit: bytes, version: version)
    case .emptyResponse: return withheld(0)
    case .malformedResponseChunk: return MalformedSource(source, garbage: Self.garbage(&generator))
    case .randomDataThenClose: return withheld(0, .close(after: Self.garbage(&generator)))
    }
  }

  /// Bytes that begin neither a line of HTTP nor a chunk.
  private static func garbage(_ generator: inout SplitMix64) -> [UInt8] {
    [UInt8(ascii: "~")] + (0..<63).map { _ in UInt8.random(in: 0x21...0x7E, using: &generator) }
  }
}
