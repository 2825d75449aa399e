public import TapedeckHTTP
public import TapedeckOverrides

/// What a test expects of the requests that came: `{"requests": [{"method": "POST", "path": "/users", "when": {…},
/// "times": 2}, …], "inOrder": true}`.
///
/// Each request is described by the words of a rule's condition, and by `status` and `source` of its response. `times` is a
/// number, or `{"atLeast": 1, "atMost": 3}`; without it one is enough. In order, each expectation is looked for after
/// the requests that met the one before it.
public struct Verification: Sendable {
  private struct Expectation: Sendable {
    var source: JSONValue
    var condition: RequestCondition
    var status: Int?
    var servedBy: ServedResponse.Source?
    var times: ClosedRange<Int>

    func accepts(_ entry: RequestLogEntry) -> Bool { obstacle(entry) == nil }

    func obstacle(_ entry: RequestLogEntry) -> String? {
      if let obstacle = condition.obstacle(entry.request) { return obstacle }
      if let status, entry.status != status { return "status is \(status), it was \(entry.status)" }
      if let servedBy, entry.source != servedBy {
        return "source is \(servedBy.rawValue), it was \(entry.source.rawValue)"
      }
      return nil
    }
  }

  /// The result of one expectation.
  public struct Finding: Sendable {
    /// As it was written.
    public let expectation: JSONValue
    public let holds: Bool
    /// How many requests met it.
    public let count: Int
    /// In a sentence, where it does not hold.
    public let problem: String?
    /// Requests that came near, and what stood in the way.
    public let nearest: [(number: Int, obstacle: String)]
  }

  private let expectations: [Expectation]
  private let isInOrder: Bool

  /// Throws what is wrong with the description.
  public init(_ json: JSONValue) throws(OverrideProblem) {
    var reader = try RuleReader(json, at: "")
    guard let requests = try reader.list("requests"), !requests.isEmpty else {
      throw OverrideProblem("requests", "must be a list with at least one request")
    }
    isInOrder = try reader.bool("inOrder") ?? false
    try reader.finish()
    var expectations: [Expectation] = []
    for (index, request) in requests.enumerated() {
      expectations.append(try Self.expectation(request, at: "requests[\(index)]"))
    }
    self.expectations = expectations
  }

  private static func expectation(_ json: JSONValue, at place: String) throws(OverrideProblem) -> Expectation
  {
    var reader = try RuleReader(json, at: place)
    let condition = try RequestCondition(&reader)
    let status = try reader.int("status", in: 100...999)
    let source = try reader.text("source")
    let servedBy = source.flatMap { ServedResponse.Source(rawValue: $0) }
    if source != nil, servedBy == nil {
      let known = ServedResponse.Source.allCases.map(\.rawValue).joined(separator: ", ")
      throw reader.problem("source", "must be one of \(known)")
    }
    let times = try times(&reader)
    try reader.finish()
    return Expectation(source: json, condition: condition, status: status, servedBy: servedBy, times: times)
  }

  private static func times(_ reader: inout RuleReader) throws(OverrideProblem) -> ClosedRange<Int> {
    guard let value = reader.value("times") else { return 1...Int.max }
    if let count = value.int {
      guard count >= 0 else { throw reader.problem("times", "must not be negative") }
      return count...count
    }
    var bounds = try RuleReader(value, at: reader.place(of: "times"))
    let least = try bounds.int("atLeast", in: 0...Int.max)
    let most = try bounds.int("atMost", in: (least ?? 0)...Int.max)
    try bounds.finish()
    guard least != nil || most != nil else { throw reader.problem("times", "needs atLeast or atMost") }
    return (least ?? 0)...(most ?? Int.max)
  }

  public func findings(in entries: [RequestLogEntry]) -> [Finding] {
    var rest = entries[...]
    return expectations.map { expectation in
      let met = rest.filter(expectation.accepts)
      let holds = expectation.times.contains(met.count)
      if isInOrder {
        // Met by as few as will do, so that what follows has a chance.
        let needed = max(1, min(met.count, expectation.times.lowerBound))
        if let last = met.prefix(needed).last,
          let index = rest.firstIndex(where: { $0.number == last.number })
        {
          rest = rest[(index + 1)...]
        }
      }
      return Finding(
        expectation: expectation.source, holds: holds, count: met.count,
        problem: holds ? nil : Self.problem(expectation, met.count, isInOrder: isInOrder),
        nearest: holds ? [] : Self.nearest(expectation, entries))
    }
  }

  private static func problem(_ expectation: Expectation, _ count: Int, isInOrder: Bool) -> String {
    let times = expectation.times
    let wanted =
      times.lowerBound == times.upperBound
      ? "\(times.lowerBound)"
      : times.upperBound == .max
        ? "at least \(times.lowerBound)" : "\(times.lowerBound) to \(times.upperBound)"
    let place = isInOrder ? " after those before it" : ""
    return "\(wanted) expected\(place), \(count) came"
  }

  private static func nearest(
    _ expectation: Expectation, _ entries: [RequestLogEntry]
  ) -> [(number: Int, obstacle: String)] {
    entries.reversed().lazy.filter { expectation.condition.fitsPath(of: $0.request) }
      .compactMap { entry in expectation.obstacle(entry).map { (entry.number, $0) } }.prefix(5).map { $0 }
  }
}
