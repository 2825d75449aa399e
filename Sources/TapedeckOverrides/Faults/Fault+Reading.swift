internal import TapedeckHTTP

extension Fault {
  private static let names = [
    "latency", "bandwidth", "slow_close", "timeout", "reset_peer", "slicer", "limit_data", "empty_response",
    "malformed_response_chunk", "random_data_then_close",
  ]

  private static let longestMilliseconds = 86_400_000

  /// As it stands in another rule: its members in an object, or its type alone where that is all.
  init(_ value: JSONValue, at place: String) throws(OverrideProblem) {
    if value.text != nil {
      var reader = try RuleReader(.object([JSONMember("type", value)]), at: place)
      self = try Fault(&reader)
      return
    }
    var reader = try RuleReader(value, at: place)
    self = try Fault(&reader)
    try reader.finish()
  }

  /// Reads `type` and what goes with it; other members are others' business.
  init(_ reader: inout RuleReader) throws(OverrideProblem) {
    switch try reader.text("type") {
    case "latency":
      self = .latency(
        milliseconds: try Self.required("latency", Self.times, &reader),
        jitter: try reader.int("jitter", in: Self.times) ?? 0)
    case "bandwidth": self = .bandwidth(rate: try Self.required("rate", 1...1_000_000_000, &reader))
    case "slow_close": self = .slowClose(milliseconds: try Self.required("delay", Self.times, &reader))
    case "timeout": self = .timeout(milliseconds: try reader.int("timeout", in: Self.times) ?? 0)
    case "reset_peer": self = .resetPeer(milliseconds: try reader.int("timeout", in: Self.times) ?? 0)
    case "slicer": self = try Self.slicer(&reader)
    case "limit_data": self = .limitData(bytes: try Self.required("bytes", 0...Int.max, &reader))
    case "empty_response": self = .emptyResponse
    case "malformed_response_chunk": self = .malformedResponseChunk
    case "random_data_then_close": self = .randomDataThenClose
    default: throw reader.problem("type", "must be one of \(Self.names.joined(separator: ", "))")
    }
  }

  private static var times: ClosedRange<Int> { 0...longestMilliseconds }

  private static func required(
    _ name: String, _ range: ClosedRange<Int>, _ reader: inout RuleReader
  ) throws(OverrideProblem) -> Int {
    guard let value = try reader.int(name, in: range) else { throw reader.problem(name, "is missing") }
    return value
  }

  private static func slicer(_ reader: inout RuleReader) throws(OverrideProblem) -> Fault {
    let size = try required("average_size", 1...1_000_000_000, &reader)
    let variation = try reader.int("size_variation", in: 0...1_000_000_000) ?? 0
    guard variation < size else { throw reader.problem("size_variation", "must be less than average_size") }
    let pause = try reader.int("delay", in: 0...longestMilliseconds) ?? 0
    return .slicer(averageSize: size, variation: variation, microseconds: pause)
  }
}
